import Wire

/// Compares the chunked decoder with a second, simple one, for any split of the bytes.
enum ChunkedBodyFuzzer {
  private static let head = Array("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)

  /// Takes one input as the body's bytes.
  static func run(_ bytes: [UInt8]) {
    let input = head + bytes
    let whole = ParserTrace(input, pieces: [input.count], dropping: false, limits: RequestLimits())
    for pieces in Splits.all(bytes) {
      let pieced = ParserTrace(input, pieces: [head.count] + pieces, dropping: true, limits: RequestLimits())
      require(pieced == whole, "pieces \(pieces.prefix(20)) give \(pieced), all at once gives \(whole)")
    }
    guard let request = whole.requests.first else { return require(false, "the head was refused") }
    let reference = ReferenceChunks(bytes)
    require(request.isWhole == (reference.end != nil), "whole: \(request.isWhole), by the reference: \(reference)")
    if request.isWhole {
      require(request.body == reference.body, "body \(request.body), by the reference \(reference.body)")
    }
  }
}

/// RFC 9112 §7.1 by complete lines, without resuming: slow and simple, so that the two do not share a mistake.
private struct ReferenceChunks {
  /// The decoded bytes.
  var body: [UInt8] = []
  /// The end of the body; nil if it is incomplete or invalid.
  var end: Int?

  init(_ bytes: [UInt8]) {
    var cursor = 0
    var extensions = 0
    while let line = Self.line(bytes, &cursor) {
      let digits = line.prefix { Self.isHex($0) }
      let rest = line.dropFirst(digits.count)
      extensions += rest.count
      guard line.count <= 256, extensions <= 4096, digits.count <= 15, let text = String(validating: digits, as: UTF8.self),
        let size = Int(text, radix: 16), Self.areExtensions(Array(rest))
      else { return }
      if size == 0 {
        if Self.skipTrailers(bytes, &cursor) { end = cursor }
        return
      }
      guard bytes.count - cursor >= size, bytes.count - cursor - size >= 2, bytes[cursor + size] == 0x0D,
        bytes[cursor + size + 1] == 0x0A
      else { return }
      body += bytes[cursor..<(cursor + size)]
      cursor += size + 2
    }
  }

  /// The bytes up to the next LF, which must follow a CR.
  private static func line(_ bytes: [UInt8], _ cursor: inout Int) -> ArraySlice<UInt8>? {
    guard let end = bytes[cursor...].firstIndex(of: 0x0A), end > cursor, bytes[end - 1] == 0x0D else { return nil }
    defer { cursor = end + 1 }
    return bytes[cursor..<(end - 1)]
  }

  private static func isHex(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
  }

  private static func isToken(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
      || Array("!#$%&'*+-.^_`|~".utf8).contains(byte)
  }

  private static func isText(_ byte: UInt8) -> Bool { byte == 9 || (byte >= 0x20 && byte != 0x7F) }

  /// `*( BWS ";" BWS token [ BWS "=" BWS ( token / quoted-string ) ] )`, nothing after it.
  private static func areExtensions(_ bytes: [UInt8]) -> Bool {
    var left = bytes[...]
    func blanks() { left = left.drop { $0 == 0x20 || $0 == 9 } }
    func token() -> Bool {
      let length = left.prefix(while: isToken).count
      left = left.dropFirst(length)
      return length > 0
    }
    while !left.isEmpty {
      blanks()
      guard left.popFirst() == 0x3B else { return false }
      blanks()
      guard token() else { return false }
      let afterName = left
      blanks()
      guard left.first == 0x3D else {
        left = afterName
        continue
      }
      left = left.dropFirst()
      blanks()
      guard left.first == 0x22 else {
        guard token() else { return false }
        continue
      }
      left = left.dropFirst()
      var isClosed = false
      while !isClosed, let byte = left.popFirst() {
        guard isText(byte) else { return false }
        if byte == 0x5C { guard let next = left.popFirst(), isText(next) else { return false } }
        isClosed = byte == 0x22
      }
      guard isClosed else { return false }
    }
    return true
  }

  private static func skipTrailers(_ bytes: [UInt8], _ cursor: inout Int) -> Bool {
    let start = cursor
    let forbidden = [
      "content-length", "transfer-encoding", "host", "trailer", "content-encoding", "content-type", "authorization", "cookie",
    ]
    var count = 0
    while let line = line(bytes, &cursor) {
      if cursor - start - 2 > 8192 { return false }
      if line.isEmpty { return true }
      count += 1
      let name = line.prefix(while: isToken)
      let rest = line.dropFirst(name.count)
      guard count <= 32, !name.isEmpty, rest.first == 0x3A, rest.allSatisfy(isText),
        !forbidden.contains(String(decoding: name, as: UTF8.self).lowercased())
      else { return false }
    }
    return false
  }
}
