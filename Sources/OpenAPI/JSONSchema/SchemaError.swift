/// Why schemas cannot be compiled.
enum SchemaError: Error, Equatable {
  /// A reference leads to nothing in a known document.
  case unresolvedReference(String, pointer: String)
  /// A schema refers to itself without a member or element in between.
  case circularReference(pointer: String)
  /// There are more schemas than the limit allows.
  case tooManySchemas
  /// There are more `$id` or `$dynamicAnchor` than the limits allow, or one is too long.
  case tooManyIdentifiers
}
