import Text

/// Percent-decoding and its users: no NUL, no escape from a folder, and what is encoded is decoded again.
enum PathFuzzer {
  /// Takes one input as a path, a query and plain text.
  static func run(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    for plusIsSpace in [false, true] {
      guard let decoded = PercentCoding.decode(text, plusIsSpace: plusIsSpace) else { continue }
      require(!decoded.utf8.contains(0), "a NUL came out of \(text)")
      require(decoded.utf8.count <= text.utf8.count, "\(text) grew to \(decoded)")
      require(PercentCoding.decode(PercentCoding.encode(decoded)) == decoded, "\(decoded) did not come back")
    }
    let encoded = PercentCoding.encode(text)
    require(encoded.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x2F && $0 != 0x5C }, "\(text) is encoded \(encoded)")
    if !text.utf8.contains(0) { require(PercentCoding.decode(encoded) == text, "\(text) did not come back") }
    if let pairs = QueryPairs.parse(text) {
      require(pairs.count <= 100, "\(pairs.count) pairs")
      for (name, value) in pairs { require(!name.utf8.contains(0) && !value.utf8.contains(0), "a NUL came out of \(text)") }
    }
    for paths in [StaticPath.pages, .asSpelled] {
      check(paths.file(text), text)
      check(paths.file("/" + text), text)
    }
    _ = CookieHeader.values(named: "name", in: text)
  }

  /// A file's path has only components that name something below the folder.
  private static func check(_ file: String?, _ text: String) {
    guard let file else { return }
    for part in file.utf8.split(separator: 0x2F, omittingEmptySubsequences: false) {
      require(!part.isEmpty && part.first != 0x2E, "\(text) is the file \(file)")
      require(part.allSatisfy { $0 >= 0x20 && $0 != 0x5C && $0 != 0x7F }, "\(text) is the file \(file)")
    }
  }
}
