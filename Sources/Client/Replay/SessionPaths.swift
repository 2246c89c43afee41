import BackendFile
import Text

/// The paths of the login, refresh and logout calls, which only the session may make.
package struct SessionPaths: Hashable, Sendable {
  /// In order, as sent; a value of a backend file's path stands in braces.
  package let all: [String]
  /// The normalized segments of each; nil for a variable segment.
  private let patterns: [[Substring?]]

  init(_ paths: some Sequence<String>) {
    all = Set(paths).sorted()
    patterns = all.map { path in Self.segments(of: path).map { $0.contains("{") ? nil : $0 } }
  }

  private static func segments(of path: String) -> [Substring] { OriginFormPath.normalized(path).split(separator: "/") }

  /// Those of the contract.
  package static let contract = SessionPaths(Call.authenticationPaths)

  /// Those of a backend file.
  init(_ definition: BackendDefinition) {
    self.init(
      definition.calls.filter(\.name.isAuthentication).flatMap(\.requests).filter { $0.origin == nil }.map(\.path.source))
  }

  /// Whether a path is one of them, however it is encoded.
  package func contains(_ path: String) -> Bool {
    let segments = Self.segments(of: path)
    return patterns.contains { pattern in
      pattern.count == segments.count && zip(pattern, segments).allSatisfy { $0 == nil || $0 == $1 }
    }
  }
}
