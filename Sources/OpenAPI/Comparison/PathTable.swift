import Text

/// The paths of a document with their operations.
struct PathTable: Sendable {
  /// The match of a path.
  struct Match {
    let path: Int
    let variables: [(name: String, value: String)]
  }

  /// A path with its operations by method in upper case.
  struct Entry: Sendable {
    let template: PathTemplate
    /// nil if they are in another document, so that every method can be one.
    let operations: [String: Int32]?

    func accepts(_ method: String) -> Bool { operations.map { $0[method] != nil } ?? true }
  }

  private let entries: [Entry]
  private let literal: [String: Int]
  /// Paths with variables by their number of segments, the more specific first.
  private let templates: [Int: [Int]]
  /// The paths of the servers, the longest first and the empty one last.
  private let prefixes: [String]

  init(_ entries: [Entry], prefixes: Set<String>) {
    self.entries = entries
    literal = Dictionary(
      entries.indices.compactMap { place in entries[place].template.literalPath.map { ($0, place) } }
    ) { first, _ in first }
    templates = Dictionary(grouping: entries.indices.filter { entries[$0].template.literalPath == nil }) {
      entries[$0].template.segmentCount
    }.mapValues { $0.sorted { entries[$0].template.isMoreSpecific(than: entries[$1].template) } }
    self.prefixes = prefixes.union([""]).sorted { ($1.utf8.count, $0) < ($0.utf8.count, $1) }
  }

  subscript(path: Int) -> Entry { entries[path] }

  /// The most specific path that has the method, else the most specific one; nil if no path matches.
  ///
  /// The path may begin with a server's path, or not if the document lists other servers than the one in use.
  func match(_ path: String, method: String) -> Match? {
    var other: Match?
    for prefix in prefixes where path.utf8.starts(with: prefix.utf8) {
      let rest = path.dropFirst(prefix.count)
      let segments = rest.split(separator: "/", omittingEmptySubsequences: false).map {
        PercentCoding.decodeLeniently(String($0))
      }
      if let found = literal[segments.joined(separator: "/")] {
        if entries[found].accepts(method) { return Match(path: found, variables: []) }
        other = other ?? Match(path: found, variables: [])
      }
      for place in templates[segments.count] ?? [] {
        guard let variables = entries[place].template.match(segments) else { continue }
        if entries[place].accepts(method) { return Match(path: place, variables: variables) }
        other = other ?? Match(path: place, variables: variables)
      }
    }
    return other
  }
}
