import Vault

/// Brings equal URLs to equal texts (RFC 3986 §6.2.2 and §6.2.3); dot segments stay, as they go on the wire as they are.
enum URLText {
  /// Scheme and authority in lower case, without the scheme's own port.
  static func origin(_ text: String) -> String {
    let lower = text.lowercased()
    for (scheme, port) in [("https://", ":443"), ("http://", ":80")] where lower.hasPrefix(scheme) && lower.hasSuffix(port) {
      return String(lower.dropLast(port.utf8.count))
    }
    return lower
  }

  /// A path or query with `%` and upper-case digits only before bytes that need it.
  static func normalized(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
        let byte = Hex.decode(String(decoding: bytes[index + 1...index + 2], as: UTF8.self))?.first
      {
        if isUnreserved(byte) { result.append(byte) } else { result += Array("%\(Hex.encode([byte]).uppercased())".utf8) }
        index += 3
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
      true
    default: false
    }
  }
}
