import Text

/// A path of a document, such as `/users/{id}/photo.{format}`, by its segments.
struct PathTemplate: Sendable {
  /// A part of a segment.
  private enum Part: Sendable {
    case literal(String)
    case variable(String)
  }

  private let segments: [[Part]]
  /// The path as the document writes it.
  let source: String

  init(_ source: String) {
    self.source = source
    segments = source.split(separator: "/", omittingEmptySubsequences: false).map { Self.parts(of: $0) }
  }

  private static func parts(of segment: Substring) -> [Part] {
    var parts: [Part] = []
    var rest = segment
    while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
      if open > rest.startIndex { parts.append(.literal(PercentCoding.decodeLeniently(String(rest[..<open])))) }
      parts.append(.variable(String(rest[rest.index(after: open)..<close])))
      rest = rest[rest.index(after: close)...]
    }
    if !rest.isEmpty || parts.isEmpty { parts.append(.literal(PercentCoding.decodeLeniently(String(rest)))) }
    return parts
  }

  var segmentCount: Int { segments.count }

  /// The path if it has no variables; nil otherwise.
  var literalPath: String? {
    var literals: [String] = []
    for segment in segments {
      guard segment.count == 1, case .literal(let text) = segment[0] else { return nil }
      literals.append(text)
    }
    return literals.joined(separator: "/")
  }

  /// Whether the path is more specific than another of as many segments: literal segments come before variable ones.
  func isMoreSpecific(than other: PathTemplate) -> Bool {
    for (segment, otherSegment) in zip(segments, other.segments) {
      let rank = Self.rank(segment)
      let otherRank = Self.rank(otherSegment)
      if rank != otherRank { return rank < otherRank }
    }
    return false
  }

  private static func rank(_ segment: [Part]) -> Int {
    if segment.count > 1 { return 1 }
    if case .variable? = segment.first { return 2 }
    return 0
  }

  /// The values of the variables if the decoded segments of a path match; nil otherwise.
  func match(_ path: [String]) -> [(name: String, value: String)]? {
    guard path.count == segments.count else { return nil }
    var values: [(name: String, value: String)] = []
    for (segment, text) in zip(segments, path) {
      guard Self.match(segment, text, &values) else { return nil }
    }
    return values
  }

  private static func match(_ segment: [Part], _ text: String, _ values: inout [(name: String, value: String)]) -> Bool {
    var rest = text[...]
    for (place, part) in segment.enumerated() {
      switch part {
      case .literal(let literal):
        guard rest.utf8.starts(with: literal.utf8) else { return false }
        rest = rest[rest.utf8.index(rest.startIndex, offsetBy: literal.utf8.count)...]
      case .variable(let name):
        var value = rest
        // A variable ends where the literal after it begins.
        if place + 1 < segment.count, case .literal(let next) = segment[place + 1] {
          guard let found = rest.dropFirst().ranges(of: next).first else { return false }
          value = rest[..<found.lowerBound]
        }
        guard !value.isEmpty else { return false }
        values.append((name, String(value)))
        rest = rest[value.endIndex...]
      }
    }
    return rest.isEmpty
  }
}
