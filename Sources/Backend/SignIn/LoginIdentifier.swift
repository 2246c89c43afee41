import Text

/// A normalized email address or phone number.
struct LoginIdentifier: Hashable, Sendable {
  enum Kind: String, Sendable {
    case email, phone
  }

  let kind: Kind
  /// The address in lower case, or `+` and 7 to 15 digits (E.164).
  let text: String

  /// Normalizes an identifier; returns nil if it is neither an address nor a number.
  ///
  /// An address has one `@`, a local part of at most 64 bytes and a domain with a dot, and is printable ASCII: look-alike letters
  /// must not create a second account. A number may contain spaces, dots, dashes, slashes and brackets.
  init?(_ raw: String) {
    guard raw.utf8.count <= 320 else { return nil }
    let bytes = Array(raw.utf8)
    guard let first = bytes.firstIndex(where: { $0 != 0x20 }), let last = bytes.lastIndex(where: { $0 != 0x20 }) else {
      return nil
    }
    let trimmed = bytes[first...last]
    guard trimmed.count <= 254, trimmed.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return nil }
    let isAddress = trimmed.contains(UInt8(ascii: "@"))
    guard let text = isAddress ? Self.address(trimmed) : Self.number(trimmed) else { return nil }
    self.kind = isAddress ? .email : .phone
    self.text = text
  }

  private static func address(_ bytes: ArraySlice<UInt8>) -> String? {
    let parts = bytes.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    guard parts.count == 2, let local = parts.first, let domain = parts.last, (1...64).contains(local.count) else { return nil }
    let refused = Array(" <>(),;:\\\"[]".utf8)
    guard !local.contains(where: refused.contains) else { return nil }
    let dots = local.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard dots.allSatisfy({ !$0.isEmpty }) else { return nil }
    let labels = domain.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard labels.count >= 2, labels.allSatisfy(ASCII.isHostLabel) else { return nil }
    return String(decoding: bytes, as: UTF8.self).lowercased()
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> String? {
    var digits: [UInt8] = []
    var isInternational = false
    for (position, byte) in bytes.enumerated() {
      switch byte {
      case _ where ASCII.isDigit(byte): digits.append(byte)
      case UInt8(ascii: "+") where position == 0: isInternational = true
      default: guard Array(" .-()/".utf8).contains(byte) else { return nil }
      }
    }
    if !isInternational, digits.starts(with: Array("00".utf8)) {
      digits.removeFirst(2)
      isInternational = true
    }
    guard isInternational, digits.first != UInt8(ascii: "0"), (7...15).contains(digits.count) else { return nil }
    return "+" + String(decoding: digits, as: UTF8.self)
  }
}
