import Logging
import Locking

/// The lines that a logger wrote.
final class CapturedLog: Sendable {
  /// One line.
  struct Line: Sendable {
    let label: String
    let level: Logger.Level
    let message: String
    let metadata: [String: String]
  }

  private let kept = Locked<[Line]>([])

  init() {}

  /// The lines, oldest first.
  var lines: [Line] { kept.withLock { $0 } }

  /// A logger that writes here, from `trace` on.
  func logger(_ label: String = "test") -> Logger {
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
