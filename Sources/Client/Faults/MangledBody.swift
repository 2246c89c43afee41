import JSON

/// A JSON body in which one member is dropped, renamed or null, as a careless backend might send it.
enum MangledBody {
  private enum Change: CaseIterable {
    case drop, rename, clear
  }

  /// Changes one member at any depth; the same seed and body always give the same result.
  ///
  /// Returns the body as it is if it is not JSON or has no members. The result is always valid JSON.
  static func mangle(_ body: [UInt8], seed: UInt64) -> [UInt8] {
    guard var tree = try? JSONTree(parsing: body) else { return body }
    let count = memberCount(tree)
    guard count > 0 else { return body }
    var generator = SplitMix64(seed: seed)
    var index = Int(generator.next() % UInt64(count))
    let changes = Change.allCases
    let change = changes[Int(generator.next() % UInt64(changes.count))]
    apply(change, toMember: &index, of: &tree)
    return tree.bytes
  }

  private static func memberCount(_ tree: JSONTree) -> Int {
    switch tree {
    case .string, .literal: 0
    case .array(let elements): elements.reduce(0) { $0 + memberCount($1) }
    case .object(let members): members.reduce(0) { $0 + 1 + memberCount($1.value) }
    }
  }

  /// Changes the field with an index, counted from the outside in; counts `index` down, to below 0 once it is found.
  private static func apply(_ change: Change, toMember index: inout Int, of tree: inout JSONTree) {
    switch tree {
    case .string, .literal: return
    case .array(var elements):
      for place in elements.indices where index >= 0 { apply(change, toMember: &index, of: &elements[place]) }
      tree = .array(elements)
    case .object(var members):
      for place in members.indices where index >= 0 {
        index -= 1
        guard index >= 0 else {
          self.change(change, at: place, in: &members)
          break
        }
        apply(change, toMember: &index, of: &members[place].value)
      }
      tree = .object(members)
    }
  }

  /// A member that has no other name, or whose other name is taken, is dropped instead of renamed.
  private static func change(_ change: Change, at place: Int, in members: inout [JSONTree.Member]) {
    let name = SnakeCase.property(members[place].key)
    switch change {
    case .clear: members[place].value = .null
    case .rename where !members.contains { $0.key == name }: members[place].key = name
    case .drop, .rename: members.remove(at: place)
    }
  }
}

/// The SplitMix64 generator (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014), so that a run with
/// random faults can be repeated.
package struct SplitMix64: Hashable, Sendable {
  /// The generator's position in the sequence.
  private(set) var state: UInt64

  /// Creates a generator with a seed.
  package init(seed: UInt64) { state = seed }

  /// Creates a generator that continues a sequence.
  init(state: UInt64) { self.state = state }

  /// The next number.
  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// The next number, in 0 ..< 1.
  package mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }
}

extension SplitMix64: Codable {
  package init(from decoder: any Decoder) throws {
    self.init(state: UInt64(try decoder.singleValueContainer().decode(String.self)) ?? 0)
  }

  /// Encodes the state as text, because JSON's numbers do not carry 64 bits everywhere.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(String(state))
  }
}
