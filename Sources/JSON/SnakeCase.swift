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
}
