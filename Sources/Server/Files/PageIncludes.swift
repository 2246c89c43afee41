/// Inserts shared parts into pages.
///
/// A page names a part in a comment, and may give it values: `<!-- include header.html page=login -->` becomes the file
/// `parts/header.html`. In the part, `{{text if page=login}}` becomes the text, and nothing for other values. A part includes no
/// other parts.
package struct PageIncludes: FileComposer {
  private static let folder = "parts/"
  private static let opening = Array("<!-- include ".utf8)
  private static let closing = Array(" -->".utf8)

  package init() {}

  package func isSource(_ path: String) -> Bool { path.hasPrefix(Self.folder) }

  package func content(of path: String, from sources: inout SourceFiles) throws(CompositionError) -> [UInt8]? {
    guard path.hasSuffix(".html"), let page = try sources.bytes(of: path) else { return nil }
    var rest = page[...]
    var result: [UInt8] = []
    while let start = rest.firstRange(of: Self.opening) {
      guard let end = rest[start.upperBound...].firstRange(of: Self.closing) else {
        throw .invalid("\(path): an include has no end")
      }
      let words = String(decoding: rest[start.upperBound..<end.lowerBound], as: UTF8.self).split(separator: " ").map(String.init)
      guard let name = words.first, let part = try sources.bytes(of: Self.folder + name) else {
        throw .invalid("\(path) includes \(Self.folder)\(words.first ?? ""), which does not exist")
      }
      result += rest[..<start.lowerBound]
      result += try Self.filled(part, values: Set(words.dropFirst()), name: Self.folder + name)
      rest = rest[end.upperBound...]
    }
    return result.isEmpty ? nil : result + rest
  }

  /// The part with the texts whose conditions are among the values, without the line break at its end.
  private static func filled(_ part: [UInt8], values: Set<String>, name: String) throws(CompositionError) -> [UInt8] {
    var rest = part.last == UInt8(ascii: "\n") ? part.dropLast() : part[...]
    var result: [UInt8] = []
    while let start = rest.firstRange(of: Array("{{".utf8)) {
      let condition = Array(" if ".utf8)
      guard let end = rest[start.upperBound...].firstRange(of: Array("}}".utf8)),
        let middle = rest[start.upperBound..<end.lowerBound].firstRange(of: condition)
      else { throw .invalid("\(name): {{ is not followed by a text, if, a value and }}") }
      result += rest[..<start.lowerBound]
      let isMet = values.contains(String(decoding: rest[middle.upperBound..<end.lowerBound], as: UTF8.self))
      if isMet { result += rest[start.upperBound..<middle.lowerBound] }
      rest = rest[end.upperBound...]
      // An omitted text takes one of the two spaces around it along.
      if !isMet, result.last == UInt8(ascii: " "), rest.first == UInt8(ascii: " ") { rest = rest.dropFirst() }
    }
    return result + rest
  }
}

extension ArraySlice<UInt8> {
  /// The first position of the bytes.
  fileprivate func firstRange(of bytes: [UInt8]) -> Range<Int>? {
    guard let first = bytes.first else { return nil }
    var start = startIndex
    while let found = self[start...].firstIndex(of: first) {
      if self[found...].starts(with: bytes) { return found..<(found + bytes.count) }
      start = found + 1
    }
    return nil
  }
}
