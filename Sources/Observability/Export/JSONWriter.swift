/// JSON text written straight into bytes: a row of an export is written thousands of times, and an encoder would take most of that time.
struct JSONWriter {
  /// What was written so far.
  private(set) var bytes: [UInt8] = []
  /// Whether the next member or element is the first of its object or array.
  private var isFirst = true

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
    quote(name)
    bytes.append(UInt8(ascii: ":"))
    isFirst = true
  }

  /// Writes a string.
  mutating func string(_ text: String) {
    separate()
    quote(text)
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

  /// Copies whole runs of bytes that need no escape.
  private mutating func quote(_ text: String) {
    var text = text
    bytes.append(UInt8(ascii: "\""))
    text.withUTF8 { source in
      var start = 0
      for (index, byte) in source.enumerated() where byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
        bytes.append(contentsOf: source[start..<index])
        start = index + 1
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0a: bytes.append(UInt8(ascii: "n"))
        case 0x0c: bytes.append(UInt8(ascii: "f"))
        case 0x0d: bytes.append(UInt8(ascii: "r"))
        case 0..<0x20:
          let digits = Array("0123456789abcdef".utf8)
          bytes.append(contentsOf: "u00".utf8)
          bytes.append(digits[Int(byte >> 4)])
          bytes.append(digits[Int(byte & 15)])
        default: bytes.append(byte)
        }
      }
      bytes.append(contentsOf: source[start...])
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
