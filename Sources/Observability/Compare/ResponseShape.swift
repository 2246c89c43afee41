import JSON
import Text

/// The structure of a response's JSON: its keys and the types of their values, without any value.
package struct ResponseShape: Hashable, Sendable {
  /// The types seen at each path; a path looks like `profiles[].profile_id`, and the whole document has an empty one.
  package private(set) var kinds: [String: Set<String>] = [:]
  /// The arrays that were always empty, whose element types are unknown.
  private(set) var emptyArrays: Set<String> = []

  /// The most paths recorded for a document.
  package static let limit = 500
  /// The longest key that is shown, in bytes: no token or code fits this limit and that of the digits.
  private static let keyLimit = 40
  /// The most digits of a key that is shown.
  private static let digitLimit = 4

  /// Describes a body; nil if it is not JSON.
  package init?(_ body: [UInt8]) {
    guard let root = try? JSONDocument(parsing: body).root else { return nil }
    note(root, at: "")
  }

  /// Adds the shape of another response to the same call.
  package mutating func merge(_ other: ResponseShape) {
    for (place, kinds) in other.kinds where self.kinds.count < Self.limit || self.kinds[place] != nil {
      self.kinds[place, default: []].formUnion(kinds)
    }
    emptyArrays.formUnion(other.emptyArrays.filter { kinds[$0] != nil })
    emptyArrays = emptyArrays.filter { kinds["\($0)[]"] == nil }
  }

  /// Whether a path is known: not inside an array that was always empty.
  package func covers(_ place: String) -> Bool { !emptyArrays.contains { place.hasPrefix("\($0)[]") } }

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

  /// A key that is safe to show: a key of the backend's own could be a code, a number or a token.
  private static func shown(_ key: String) -> String {
    let letters = key.utf8.count { ASCII.isLetter($0) || $0 == 0x5F }
    let digits = key.utf8.count { ASCII.isDigit($0) }
    let isPlain = letters + digits == key.utf8.count && letters > 0 && digits <= digitLimit
    return isPlain && key.utf8.count <= keyLimit ? key : "?"
  }
}
