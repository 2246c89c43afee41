/// An entity tag (RFC 9110 §8.8.3).
package struct EntityTag: Equatable, Sendable {
  /// Whether the tag begins with `W/`.
  package let isWeak: Bool
  /// The text between the quotes.
  package let opaque: String

  package init(opaque: String, isWeak: Bool = false) {
    self.isWeak = isWeak
    self.opaque = opaque
  }

  /// The tag as a field value.
  package var text: String { (isWeak ? "W/\"" : "\"") + opaque + "\"" }
}

/// The value of `If-None-Match` or `If-Match` (RFC 9110 §13.1).
package enum EntityTagCondition: Equatable, Sendable {
  /// `*`.
  case any
  /// A list of tags.
  case tags([EntityTag])

  /// Parses the combined value; nil for a syntax error or more than 1024 tags.
  package init?(_ value: String) {
    let bytes = Array(value.utf8)
    var tags: [EntityTag] = []
    var cursor = 0
    func skipBlanks() { while cursor < bytes.count, ByteClass.isBlank(bytes[cursor]) { cursor += 1 } }
    skipBlanks()
    if cursor < bytes.count, bytes[cursor] == 0x2A {
      cursor += 1
      skipBlanks()
      guard cursor == bytes.count else { return nil }
      self = .any
      return
    }
    while cursor < bytes.count {
      skipBlanks()
      guard cursor < bytes.count else { break }
      if bytes[cursor] == 0x2C {
        cursor += 1
        continue
      }
      let isWeak = bytes[cursor] == 0x57
      if isWeak {
        guard cursor + 1 < bytes.count, bytes[cursor + 1] == 0x2F else { return nil }
        cursor += 2
      }
      guard cursor < bytes.count, bytes[cursor] == 0x22, tags.count < 1024 else { return nil }
      let start = cursor + 1
      cursor = start
      while cursor < bytes.count, ByteClass.isEntityTag(bytes[cursor]) || bytes[cursor] >= 0x80 { cursor += 1 }
      guard cursor < bytes.count, bytes[cursor] == 0x22 else { return nil }
      tags.append(EntityTag(opaque: String(decoding: bytes[start..<cursor], as: UTF8.self), isWeak: isWeak))
      cursor += 1
      skipBlanks()
      guard cursor == bytes.count || bytes[cursor] == 0x2C else { return nil }
    }
    guard !tags.isEmpty else { return nil }
    self = .tags(tags)
  }

  /// Whether the condition matches the tag by weak comparison (RFC 9110 §8.8.3.2).
  package func matchesWeakly(_ tag: EntityTag) -> Bool {
    switch self {
    case .any: true
    case .tags(let tags): tags.contains { $0.opaque == tag.opaque }
    }
  }

  /// Whether the condition matches the tag by strong comparison.
  package func matchesStrongly(_ tag: EntityTag) -> Bool {
    switch self {
    case .any: true
    case .tags(let tags): !tag.isWeak && tags.contains { !$0.isWeak && $0.opaque == tag.opaque }
    }
  }
}
