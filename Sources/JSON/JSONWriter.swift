/// Writes JSON directly into bytes: the thousands of rows of lists and exports, and the values that `JSONCoding` encodes.
package struct JSONWriter {
  /// The bytes so far.
  package internal(set) var bytes: [UInt8] = []
  /// Whether the next member or element is the first of its object or array.
  private var isFirst = true

  /// `capacity` is how many bytes are expected.
  package init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

  package mutating func beginObject() { begin(UInt8(ascii: "{")) }
  package mutating func endObject() { end(UInt8(ascii: "}")) }
  package mutating func beginArray() { begin(UInt8(ascii: "[")) }
  package mutating func endArray() { end(UInt8(ascii: "]")) }

  private mutating func begin(_ bracket: UInt8) {
    separate()
    bytes.append(bracket)
    isFirst = true
  }

  private mutating func end(_ bracket: UInt8) {
    bytes.append(bracket)
    isFirst = false
  }

  /// Writes the key of the next value.
  package mutating func key(_ name: String) {
    separate()
    JSONStringText.append(name, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
    isFirst = true
  }

  /// Writes a string.
  package mutating func string(_ text: String) {
    separate()
    JSONStringText.append(text, to: &bytes)
  }

  /// Writes a whole number.
  @inlinable package mutating func number(_ value: some FixedWidthInteger) { raw(String(value)) }

  /// Writes the shortest text that is read as the same number; null for one that is not finite.
  package mutating func number(_ value: Double) {
    guard value.isFinite else { return null() }
    if let whole = Int64(exactly: value), whole.magnitude < 1 << 53 { number(whole) } else { number(spelled: String(value)) }
  }

  /// Writes a number as Swift spells it.
  mutating func number(spelled text: String) { raw(text.hasSuffix(".0") ? String(text.dropLast(2)) : text) }

  /// Writes `true` or `false`.
  package mutating func flag(_ value: Bool) { raw(value ? "true" : "false") }

  /// Writes `null`.
  package mutating func null() { raw("null") }

  /// Writes prepared JSON.
  package mutating func raw(_ text: String) {
    separate()
    bytes.append(contentsOf: text.utf8)
  }

  /// Writes prepared JSON.
  package mutating func raw(_ json: [UInt8]) { raw(json[...]) }

  /// Writes prepared JSON.
  mutating func raw(_ json: ArraySlice<UInt8>) {
    separate()
    bytes.append(contentsOf: json)
  }

  /// Writes a member with a string.
  package mutating func member(_ name: String, _ value: String) {
    key(name)
    string(value)
  }

  /// Writes a member with a whole number.
  @inlinable package mutating func member(_ name: String, _ value: some FixedWidthInteger) {
    key(name)
    number(value)
  }

  /// Writes a member with a number; null for one that is not finite.
  package mutating func member(_ name: String, _ value: Double) {
    key(name)
    number(value)
  }

  private mutating func separate() {
    if !isFirst { bytes.append(UInt8(ascii: ",")) }
    isFirst = false
  }
}

extension JSONWriter {
  /// The place at which the next member or element is written.
  struct Mark {
    /// The offset of the comma in front of it, if one is needed.
    let start: Int
    let isFirst: Bool

    /// The offset of its first byte.
    var valueStart: Int { isFirst ? start : start + 1 }
  }

  var mark: Mark { Mark(start: bytes.count, isFirst: isFirst) }

  /// Removes the bytes written since the mark.
  mutating func cut(to mark: Mark) {
    bytes.removeLast(bytes.count - mark.start)
    isFirst = mark.isFirst
  }
}
