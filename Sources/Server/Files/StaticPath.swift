import Text

/// How the path of a request maps to the relative path of a file.
package enum StaticPath: Sendable {
  /// `/login` serves `login.html`, which has no other address; `/` serves `index.html`; directories have no index.
  case pages
  /// Every file has its own path; a path that ends in `/` serves `index.html` of that directory.
  case asSpelled

  /// The file's path; nil for empty segments, segments that begin with a dot, and encoded separators or control characters.
  func file(_ path: String) -> String? {
    guard path.utf8.first == 0x2F else { return nil }
    if path == "/" { return "index.html" }
    var parts: [String] = []
    let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    for (index, segment) in segments.enumerated() {
      if self == .asSpelled, segment.isEmpty, index == segments.count - 1 {
        parts.append("index.html")
        break
      }
      guard let part = PercentCoding.decode(segment), !part.isEmpty, part.utf8.first != 0x2E,
        !part.utf8.contains(where: { $0 == 0x2F || $0 == 0x5C || $0 < 0x20 || $0 == 0x7F })
      else { return nil }
      parts.append(part)
    }
    if self == .pages, parts.count == 1 {
      guard !parts[0].hasSuffix(".html") else { return nil }
      if !parts[0].utf8.contains(0x2E) { return parts[0] + ".html" }
    }
    return parts.joined(separator: "/")
  }
}
