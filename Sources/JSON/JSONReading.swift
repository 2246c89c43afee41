import Text

/// How a decoder finds fields, and how it handles a value that does not match its type.
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

  /// The notes of a tolerant decoding; nil for a strict one.
  var notes: JSONReadNotes? { if case .tolerant(let notes) = self { notes } else { nil } }
}

/// The missing, converted and ignored fields of a tolerant decoding.
package final class JSONReadNotes {
  /// The maximum number of notes, and of further notes about ignored fields.
  ///
  /// Finding the path of a value takes time in proportion to its position, so the number of notes has to be limited in a document
  /// full of mismatches.
  static let limit = 32

  /// The notes in the order in which the fields were read.
  package private(set) var all: [JSONReadNote] = []
  /// How many of the notes are about ignored members. These have a limit of their own, so that they displace no other note.
  private var ignored = 0
  /// Whether no more notes are kept.
  var isFull: Bool { all.count - ignored >= Self.limit }

  package init() {}

  /// Adds a note about a mismatch that the decoding tolerated.
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

/// A field that a tolerant decoding replaced, converted or ignored; contains no value.
package struct JSONReadNote: Hashable, Sendable {
  /// The decoder's handling of the field.
  package enum Effect: String, Sendable {
    /// The default took the place of a field that was missing, null or unreadable.
    case defaulted
    /// The value was converted, such as the text `"15"` to a number.
    case converted
    /// No property reads the field.
    case ignored
  }

  /// The keys and indices that lead to the field, such as `profiles.0.created_at`.
  package let path: String
  /// The expected kind, such as `a string`.
  package let expected: String?
  /// The found kind, such as `a number` or `nothing`.
  package let found: String
  package let effect: Effect
}

/// Keys of an object whose members have defaults; their enum of `CodingKeys` conforms.
package protocol JSONDefaultingKey: CodingKey {
  /// The tolerant decoding's replacement for a field that is missing, null or unreadable; nil if there is none.
  ///
  /// A missing field without a default is an error, or nil if the property is optional.
  var fallback: JSONFallback? { get }
}

/// The tolerant decoding's replacement for a field.
package enum JSONFallback: Sendable {
  /// This JSON text.
  case json(String)
  /// The value of another member of the same object.
  case member(String)
}
