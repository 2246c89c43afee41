import Locking
package import Logging

/// The lines that a logger wrote.
package final class CapturedLog: Sendable {
  /// One line.
  package struct Line: Sendable, CustomStringConvertible {
    package let label: String
    package let level: Logger.Level
    package let message: String
    package let metadata: [String: String]

    /// Level, message and metadata in the order of their keys, as `notice signed in by=login_with_code`.
    package var description: String {
      ([level.rawValue, message] + metadata.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }).joined(separator: " ")
    }
  }

  private let kept = Locked<[Line]>([])

  package init() {}

  /// The lines, oldest first.
  package var lines: [Line] { kept.withLock { $0 } }

  /// The lines as text, oldest first.
  package var texts: [String] { lines.map(\.description) }

  /// A logger that writes here, from `trace` on.
  package func logger(_ label: String = "test") -> Logger {
    Logger(label: label) { Handler(log: self, label: $0) }
  }

  private func add(_ line: Line) { kept.withLock { $0.append(line) } }

  private struct Handler: LogHandler {
    let log: CapturedLog
    let label: String
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let all = metadata.merging(event.metadata ?? [:]) { $1 }
      log.add(Line(label: label, level: event.level, message: "\(event.message)", metadata: all.mapValues { "\($0)" }))
    }
  }
}
