/// Names from another program, such as an undocumented member; they can be secrets, as in a map that is keyed by email address.
package enum PlainName {
  /// The name, if it looks like an identifier of a program: a letter, then letters, `_`, `-` and at most two digits, at most 32
  /// characters in all; `*` otherwise.
  package static func shown(_ name: String) -> String {
    let bytes = name.utf8
    guard bytes.count <= 32, let first = bytes.first, ASCII.isAlphanumeric(first), !ASCII.isDigit(first) else { return "*" }
    var digits = 0
    for byte in bytes {
      if ASCII.isDigit(byte) { digits += 1 }
      guard ASCII.isAlphanumeric(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") else { return "*" }
    }
    return digits <= 2 ? name : "*"
  }
}
