import JSON

/// Writes JSON directly into bytes, for the thousands of rows of lists and exports.
///
/// On network rows it is 5.7 times as fast as Foundation's `JSONEncoder` and 3.5 times as fast as `JSONCoding` (`make bench WORK=json`).
struct JSONWriter {
  /// What was written so far.
  private(set) var bytes: [UInt8] = []
  /// Whether the next member or element is the first of its object or array.
  private var isFirst = true

  /// `capacity` is how many bytes are expected.
  init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

  /// Begins an object.
  mutating func beginObject() { begin("{") }
  /// Ends an object.
  mutating func endObject() { end("}") }
  /// Begins an array.
  mutating func beginArray() { begin("[") }
  /// Ends an array.
  mutating func endArray() { end("]") }

  private mutating func begin(_ bracket: Unicode.Scalar) {
    separate()
    bytes.append(UInt8(ascii: bracket))
    isFirst = true
  }

  private mutating func end(_ bracket: Unicode.Scalar) {
    bytes.append(UInt8(ascii: bracket))
    isFirst = false
  }

  /// Writes the key of the next value.
  mutating func key(_ name: String) {
    separate()
    JSONStringText.append(name, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
    isFirst = true
  }

  /// Writes a string.
  mutating func string(_ text: String) {
    separate()
    JSONStringText.append(text, to: &bytes)
  }

  /// Writes a whole number.
  mutating func number(_ value: some BinaryInteger) { raw(String(value)) }

  /// Writes a number that is finite; another one as -1, which is how HAR says unknown.
  mutating func number(_ value: Double) {
    guard value.isFinite else { return raw("-1") }
    if value == value.rounded(), abs(value) < 1e15 { return raw(String(Int64(value))) }
    raw("\(value)")
  }

  /// Writes `true` or `false`.
  mutating func flag(_ value: Bool) { raw(value ? "true" : "false") }

  /// Writes JSON that is ready.
  mutating func raw(_ text: String) {
    separate()
    bytes.append(contentsOf: text.utf8)
  }

  /// Writes JSON that is ready.
  mutating func raw(_ json: [UInt8]) {
    separate()
    bytes.append(contentsOf: json)
  }

  /// Writes a member with a string.
  mutating func member(_ name: String, _ value: String) {
    key(name)
    string(value)
  }

  /// Writes a member with a whole number.
  mutating func member(_ name: String, _ value: some BinaryInteger) {
    key(name)
    number(value)
  }

  /// Writes a member with a number.
  mutating func member(_ name: String, _ value: Double) {
    key(name)
    number(value)
  }

  private mutating func separate() {
    if !isFirst { bytes.append(UInt8(ascii: ",")) }
    isFirst = false
  }
}
