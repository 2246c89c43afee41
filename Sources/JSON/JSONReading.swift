import Text

/// How a decoder finds members, and what it does with a value that does not match its type.
enum JSONReading {
  /// Keys as the `CodingKeys` spell them; a mismatch is an error.
  case asSpelled
  /// Keys in snake_case; a mismatch is an error.
  case snakeCase
  /// As `JSONCoding.decodeTolerantly` describes.
  case tolerant(JSONReadNotes)

  init(_ keys: JSONCoding.Keys) {
    self =
      switch keys {
      case .asSpelled: .asSpelled
      case .snakeCase: .snakeCase
      }
  }

  /// Where a tolerant decoding notes what it did without; nil for a strict one.
  var notes: JSONReadNotes? { if case .tolerant(let notes) = self { notes } else { nil } }
}

/// What a tolerant decoding did without, converted or ignored.
package final class JSONReadNotes {
  /// The most notes that are kept, and the most about ignored members besides.
  ///
  /// To find the path of a value takes time in proportion to its position, so a document full of mismatches has to stop somewhere.
  static let limit = 32

  /// The notes in the order in which the fields were read.
  package private(set) var all: [JSONReadNote] = []
  /// How many of the notes are about ignored members. These have a limit of their own, so that they displace no other note.
  private var ignored = 0
  /// Whether no more notes are kept.
  var isFull: Bool { all.count - ignored >= Self.limit }

  package init() {}

  /// Notes a mismatch that the decoding got over.
  func add(_ error: @autoclosure () -> JSONError, effect: JSONReadNote.Effect = .defaulted) {
    guard effect == .ignored ? ignored < Self.limit : !isFull else { return }
    if effect == .ignored { ignored += 1 }
    let error = error()
    all.append(
      JSONReadNote(path: error.path, expected: error.expected, found: error.found ?? JSONPhrase.nothing, effect: effect))
  }

  /// Whether a key reads the member, as it is spelled or in camelCase; a digit may begin a word, as in `line_2`.
  private static func isKey<Key: CodingKey>(_ name: String, of key: Key.Type) -> Bool {
    if Key(stringValue: name) != nil { return true }
    let member = SnakeCase.member(name)
    if Key(stringValue: member) != nil { return true }
    var split = ""
    for character in member {
      if character.isNumber, split.last?.isLetter == true { split.append("_") }
      split.append(character)
    }
    return Key(stringValue: split) != nil
  }

  /// Types whose objects were searched for members without a property; the first object of each stands for the others.
  private var searched: Set<ObjectIdentifier> = []

  /// Notes the members of an object that no key of its type reads.
  func addExtraMembers<Key: CodingKey>(of node: JSONNode, _ key: Key.Type) {
    guard searched.insert(ObjectIdentifier(key)).inserted else { return }
    for (name, value) in node.members {
      guard ignored < Self.limit else { return }
      guard !Self.isKey(name, of: key) else { continue }
      let path = node.path + [PlainName.shown(name)]
      add(
        JSONError(
          .unexpectedValue, at: value.span.lowerBound, path: path.joined(separator: "."), expected: JSONPhrase.nothing,
          found: value.kind.phrase), effect: .ignored)
    }
  }
}

/// A field that a tolerant decoding did without, converted or ignored; contains no value.
package struct JSONReadNote: Hashable, Sendable {
  /// What the decoding did.
  package enum Effect: String, Sendable {
    /// The default took the place of a field that was missing, null or unreadable.
    case defaulted
    /// The value was read all the same, such as the text `"15"` as a number.
    case converted
    /// Nothing reads the field.
    case ignored
  }

  /// The keys and indices that lead to the field, such as `profiles.0.created_at`.
  package let path: String
  /// What was expected, such as `a string`.
  package let expected: String?
  /// What was found, such as `a number` or `nothing`.
  package let found: String
  package let effect: Effect
}

/// Keys of an object whose members have defaults; their enum of `CodingKeys` conforms.
package protocol JSONDefaultingKey: CodingKey {
  /// What a tolerant decoding reads instead of a member that is missing, null or unreadable; nil if there is nothing.
  ///
  /// A missing member without a default is an error, or nil if the property is optional.
  var fallback: JSONFallback? { get }
}

/// What a tolerant decoding reads instead of a member.
package enum JSONFallback: Sendable {
  /// This JSON text.
  case json(String)
  /// The value of another member of the same object.
  case member(String)
}
