/// Names of members in snake_case and of properties in camelCase.
enum SnakeCase {
  /// The property of a member, as Foundation converts it: `user_id` is `userId`; underscores at either end stay.
  static func property(_ member: String) -> String {
    guard member.utf8.contains(UInt8(ascii: "_")) else { return member }
    let leading = member.prefix { $0 == "_" }
    let rest = member.dropFirst(leading.count)
    guard !rest.isEmpty else { return member }
    let words = rest.split(separator: "_")
    guard words.count > 1 else { return member }
    let trailing = rest.reversed().prefix { $0 == "_" }
    let others = words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst().lowercased() }
    return leading + words[0].lowercased() + others.joined() + String(trailing)
  }

  /// The member of a property, which begins in lower case, as Foundation converts it: `userID` and `userId` are `user_id`.
  static func member(_ property: String) -> String {
    var property = property
    return property.withUTF8 { name in
      guard name.contains(where: isUpper) else { return String(decoding: name, as: UTF8.self) }
      var bytes: [UInt8] = []
      bytes.reserveCapacity(name.count + 4)
      for index in name.indices {
        guard isUpper(name[index]) else {
          bytes.append(name[index])
          continue
        }
        let followsUpper = index > 0 && isUpper(name[index - 1])
        let precedesLower = index + 1 < name.count && isLower(name[index + 1])
        if index > 0, name[index - 1] != UInt8(ascii: "_"), !followsUpper || precedesLower { bytes.append(UInt8(ascii: "_")) }
        bytes.append(name[index] | 0x20)
      }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  private static func isUpper(_ byte: UInt8) -> Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }
  private static func isLower(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
}
