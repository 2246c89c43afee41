/// A URI or relative reference in its five parts (RFC 3986 §3).
struct URIReference: Hashable, Sendable {
  var scheme: String?
  var authority: String?
  var path: String
  var query: String?
  var fragment: String?

  init(_ text: String) {
    var rest = Substring(text)
    if let hash = rest.firstIndex(of: "#") {
      fragment = String(rest[rest.index(after: hash)...])
      rest = rest[..<hash]
    }
    if let mark = rest.firstIndex(of: "?") {
      query = String(rest[rest.index(after: mark)...])
      rest = rest[..<mark]
    }
    if let colon = rest.firstIndex(of: ":"), Self.isScheme(rest[..<colon]) {
      scheme = rest[..<colon].lowercased()
      rest = rest[rest.index(after: colon)...]
    }
    if rest.hasPrefix("//") {
      rest = rest.dropFirst(2)
      let end = rest.firstIndex(of: "/") ?? rest.endIndex
      authority = String(rest[..<end])
      rest = rest[end...]
    }
    path = String(rest)
  }

  private static func isScheme(_ text: Substring) -> Bool {
    guard let first = text.first, first.isASCII, first.isLetter else { return false }
    return text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "+" || $0 == "-" || $0 == ".") }
  }

  /// The URI without its fragment.
  var withoutFragment: String {
    var text = ""
    if let scheme { text += scheme + ":" }
    if let authority { text += "//" + authority }
    text += path
    if let query { text += "?" + query }
    return text
  }

  /// The target of a reference relative to this URI (RFC 3986 §5.2.2).
  func resolving(_ reference: URIReference) -> URIReference {
    var target = reference
    if reference.scheme != nil {
      target.path = Self.withoutDotSegments(reference.path)
      return target
    }
    target.scheme = scheme
    if reference.authority != nil {
      target.path = Self.withoutDotSegments(reference.path)
      return target
    }
    target.authority = authority
    if reference.path.isEmpty {
      target.path = path
      target.query = reference.query ?? query
    } else if reference.path.hasPrefix("/") {
      target.path = Self.withoutDotSegments(reference.path)
    } else if authority != nil, path.isEmpty {
      target.path = Self.withoutDotSegments("/" + reference.path)
    } else {
      let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
      target.path = Self.withoutDotSegments(folder + reference.path)
    }
    return target
  }

  /// RFC 3986 §5.2.4.
  private static func withoutDotSegments(_ path: String) -> String {
    guard path.contains("/.") || path.hasPrefix(".") else { return path }
    var kept: [Substring] = []
    let segments = path.split(separator: "/", omittingEmptySubsequences: false)
    for (place, segment) in segments.enumerated() {
      let isLast = place == segments.count - 1
      switch segment {
      case ".": if isLast { kept.append("") }
      case "..":
        if kept.count > 1 || kept.first?.isEmpty == false { kept.removeLast() }
        if isLast { kept.append("") }
      default: kept.append(segment)
      }
    }
    return kept.joined(separator: "/")
  }
}
