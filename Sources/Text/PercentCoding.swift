/// Percent-encoding (RFC 3986 §2.1).
package enum PercentCoding {
  /// Encodes every byte but the unreserved characters.
  package static func encode(_ text: String) -> String { encode(text.utf8, keeping: isUnreserved) }

  /// Encodes every byte that `keeping` does not accept; accepted bytes must be ASCII.
  package static func encode(_ bytes: some Collection<UInt8>, keeping: (UInt8) -> Bool) -> String {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    for byte in bytes {
      if keeping(byte) { result.append(byte) } else { append(byte, to: &result) }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Decodes a path segment or a part of a query.
  ///
  /// Returns nil if an escape is incomplete or the result contains NUL or is not UTF-8. `plusIsSpace` decodes `+` as HTML forms encode
  /// a space.
  package static func decode(_ text: some StringProtocol, plusIsSpace: Bool = false) -> String? {
    var result: [UInt8] = []
    result.reserveCapacity(text.utf8.count)
    var iterator = text.utf8.makeIterator()
    while let byte = iterator.next() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = iterator.next().flatMap(Hex.value(of:)), let low = iterator.next().flatMap(Hex.value(of:)),
          high | low != 0
        else {
          return nil
        }
        result.append(high << 4 | low)
      case UInt8(ascii: "+") where plusIsSpace: result.append(UInt8(ascii: " "))
      case 0: return nil
      default: result.append(byte)
      }
    }
    return String(validating: result, as: UTF8.self)
  }

  /// Decodes every complete escape and leaves all other bytes as they are.
  package static func decodeLeniently(_ text: some Sequence<UInt8>) -> [UInt8] {
    rewriteEscapes(in: text) { byte, result in result.append(byte) }
  }

  /// Decodes every complete escape of a text; incomplete ones stay, and bytes that are not UTF-8 become U+FFFD.
  package static func decodeLeniently(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
    return String(decoding: decodeLeniently(text.utf8), as: UTF8.self)
  }

  /// Encodes only the bytes that need it, with upper-case digits (RFC 3986 §6.2.2.1, §6.2.2.2); incomplete escapes stay.
  package static func normalize(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
    let bytes = rewriteEscapes(in: text.utf8) { byte, result in
      if isUnreserved(byte) { result.append(byte) } else { append(byte, to: &result) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether every `%` begins a complete escape.
  package static func isWellFormed(_ text: String) -> Bool {
    var rest = text.utf8[...]
    while let place = rest.firstIndex(of: UInt8(ascii: "%")) {
      rest = rest[place...].dropFirst()
      guard rest.prefix(2).count == 2, rest.prefix(2).allSatisfy({ Hex.value(of: $0) != nil }) else { return false }
    }
    return true
  }

  /// Letters, digits, `-`, `.`, `_` and `~` (RFC 3986 §2.3).
  package static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
    default: ASCII.isAlphanumeric(byte)
    }
  }

  private static func append(_ byte: UInt8, to result: inout [UInt8]) {
    result.append(UInt8(ascii: "%"))
    result.append(Hex.upperCaseDigit(byte >> 4))
    result.append(Hex.upperCaseDigit(byte & 15))
  }

  /// Passes the byte of each complete escape to `write` and copies everything else.
  private static func rewriteEscapes(
    in text: some Sequence<UInt8>, _ write: (_ byte: UInt8, _ result: inout [UInt8]) -> Void
  ) -> [UInt8] {
    let bytes = Array(text)
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count, let high = Hex.value(of: bytes[index + 1]),
        let low = Hex.value(of: bytes[index + 2])
      {
        write(high << 4 | low, &result)
        index += 3
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
    return result
  }
}
