/// How the shape of a response differs from that of a reference; paths look like `profiles[].profile_id`.
package struct ShapeDifference: Hashable, Codable, Sendable {
  /// A path with another type of value.
  package struct Change: Hashable, Codable, Sendable {
    package let place: String
    package let kinds: [String]
    package let referenceKinds: [String]
  }

  /// The paths that only the reference has.
  package let missing: [String]
  /// The paths that the reference lacks.
  package let additional: [String]
  package let changed: [Change]

  package var isEmpty: Bool { missing.isEmpty && additional.isEmpty && changed.isEmpty }

  /// Compares two shapes; a value that is null on one side may be missing or present on the other.
  package init(_ shape: ResponseShape, reference: ResponseShape) {
    let places = Set(shape.kinds.keys)
    let others = Set(reference.kinds.keys)
    missing = others.subtracting(places).filter { shape.covers($0) && reference.kinds[$0] != ["null"] }.sorted()
    additional = places.subtracting(others).filter { reference.covers($0) && shape.kinds[$0] != ["null"] }.sorted()
    changed = places.intersection(others).sorted().compactMap { place -> Change? in
      let kinds = (shape.kinds[place] ?? []).subtracting(["null"])
      let expected = (reference.kinds[place] ?? []).subtracting(["null"])
      guard !kinds.isEmpty, !expected.isEmpty, kinds != expected else { return nil }
      return Change(place: place, kinds: kinds.sorted(), referenceKinds: expected.sorted())
    }
  }
}
