import Text

/// Converts between snake_case keys and camelCase properties.
package enum SnakeCase {
  /// The property of a member, as Foundation converts it: `user_id` becomes `userId`; underscores at either end stay.
  package static func property(_ member: String) -> String {
    let underscore = UInt8(ascii: "_")
    var member = member
    return member.withUTF8 { name in
      let unchanged = String(decoding: name, as: UTF8.self)
      guard let first = name.firstIndex(where: { $0 != underscore }), let last = name.lastIndex(where: { $0 != underscore }),
        name[first...last].contains(underscore)
      else { return unchanged }
      guard name.allSatisfy({ $0 < 0x80 }) else { return property(ofWords: unchanged, first, name.count - 1 - last) }
      var bytes = Array(name[..<first])
      bytes.reserveCapacity(name.count)
      var beginsWord = false
      for byte in name[first...last] {
        if byte == underscore {
          beginsWord = true
        } else {
          bytes.append(beginsWord ? (ASCII.isLowercase(byte) ? byte & ~0x20 : byte) : ASCII.lowercased(byte))
          beginsWord = false
        }
      }
      return String(decoding: bytes + name[(last + 1)...], as: UTF8.self)
    }
  }

  /// The same for a member with characters outside ASCII, whose case needs Unicode tables.
  private static func property(ofWords member: String, _ leading: Int, _ trailing: Int) -> String {
    let words = member.split(separator: "_")
    let others = words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst().lowercased() }
    return String(member.prefix(leading)) + words[0].lowercased() + others.joined() + String(member.suffix(trailing))
  }

  /// The member of a property that begins in lower case, as Foundation converts it: `userID` and `userId` become `user_id`.
  package static func member(_ property: String) -> String {
    var property = property
    return property.withUTF8 { name in
      guard name.contains(where: ASCII.isUppercase) else { return String(decoding: name, as: UTF8.self) }
      var bytes: [UInt8] = []
      bytes.reserveCapacity(name.count + 4)
      for index in name.indices {
        guard ASCII.isUppercase(name[index]) else {
          bytes.append(name[index])
          continue
        }
        let followsUpper = index > 0 && ASCII.isUppercase(name[index - 1])
        let precedesLower = index + 1 < name.count && ASCII.isLowercase(name[index + 1])
        if index > 0, name[index - 1] != UInt8(ascii: "_"), !followsUpper || precedesLower { bytes.append(UInt8(ascii: "_")) }
        bytes.append(name[index] | 0x20)
      }
      return String(decoding: bytes, as: UTF8.self)
    }
  }
}
