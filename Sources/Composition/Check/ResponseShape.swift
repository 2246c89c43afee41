import JSON

/// What an answer's JSON is made of: its keys with the kinds of their values, without any value.
struct ResponseShape: Hashable, Sendable {
  /// The kinds seen at each place; a place is written `profiles[].profile_id`, the whole document is empty.
  private(set) var kinds: [String: Set<String>] = [:]
  /// The arrays that never had an element, of whose inside nothing is known.
  private(set) var emptyArrays: Set<String> = []

  /// How many places are told apart; a document that is made of more is not described further.
  static let limit = 500
  /// The longest key that is shown, in bytes, and the most digits in one: no token and no code is made so.
  private static let (keyLimit, digitLimit) = (40, 4)

  /// Describes a body; nil for one that is no JSON.
  init?(_ body: [UInt8]) {
    guard let root = try? JSONDocument(parsing: body).root else { return nil }
    note(root, at: "")
  }

  /// Takes in what another answer of the same call looked like.
  mutating func merge(_ other: ResponseShape) {
    for (place, kinds) in other.kinds { self.kinds[place, default: []].formUnion(kinds) }
    emptyArrays.formUnion(other.emptyArrays)
    emptyArrays = emptyArrays.filter { kinds["\($0)[]"] == nil }
  }

  /// Whether something can be said of a place: not inside of an array that was always empty.
  func covers(_ place: String) -> Bool { !emptyArrays.contains { place.hasPrefix("\($0)[]") } }

  private mutating func note(_ node: JSONNode, at place: String) {
    guard kinds.count < Self.limit else { return }
    kinds[place, default: []].insert("\(node.kind)")
    switch node.kind {
    case .object:
      for (key, value) in node.members { note(value, at: place.isEmpty ? Self.shown(key) : "\(place).\(Self.shown(key))") }
    case .array:
      for element in node.elements { note(element, at: "\(place)[]") }
      if node.count == 0, kinds["\(place)[]"] == nil { emptyArrays.insert(place) }
      if node.count > 0 { emptyArrays.remove(place) }
    default: break
    }
  }

  /// A key fit to be shown: a backend's keys are its own, and one could be a code, a number or a token.
  private static func shown(_ key: String) -> String {
    let letters = key.utf8.count { $0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A || $0 == 0x5F }
    let digits = key.utf8.count { (0x30...0x39).contains($0) }
    let isPlain = letters + digits == key.utf8.count && letters > 0 && digits <= digitLimit
    return isPlain && key.utf8.count <= keyLimit ? key : "?"
  }
}
