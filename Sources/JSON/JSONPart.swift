import FoundationEssentials

/// A value that is being written: its leaves stand in one buffer, objects and arrays hold where.
final class JSONPart {
  /// A member's or element's value.
  enum Value {
    /// Bytes of the buffer.
    case leaf(Range<Int>)
    case part(JSONPart)
  }

  /// What the value has turned out to be; an empty object where its type wrote nothing.
  enum Form {
    case object, array, leaf(Range<Int>)
  }

  let buffer: JSONBuffer
  let keys: JSONCoding.Keys
  var form = Form.object
  private(set) var members: [(key: String, value: Value)] = []
  private(set) var elements: [Value] = []

  init(buffer: JSONBuffer, keys: JSONCoding.Keys) {
    self.buffer = buffer
    self.keys = keys
  }

  /// Adds a member; the key is converted as the options say.
  func add(_ value: Value, for key: String) { members.append((keys == .snakeCase ? SnakeCase.member(key) : key, value)) }

  /// Adds a member whose key is data, not a property's name.
  func add(_ value: Value, asKeyed key: String) { members.append((key, value)) }

  /// Adds an element.
  func add(_ value: Value) { elements.append(value) }

  /// Becomes what another part of the same document is.
  func adopt(_ other: JSONPart) { (form, members, elements) = (other.form, other.members, other.elements) }

  /// A value of `T`; a date is written as a timestamp, a dictionary's keys as they are.
  func value<T: Encodable>(_ value: T) throws -> Value {
    // The types are compared first, which costs less than a cast that fails.
    if T.self == Date.self, let date = value as? Date { return .leaf(buffer.append(Timestamp(date).text)) }
    if T.self == Timestamp.self, let timestamp = value as? Timestamp { return .leaf(buffer.append(timestamp.text)) }
    if let dictionary = value as? any StringKeyed {
      let part = JSONPart(buffer: buffer, keys: keys)
      try dictionary.add(to: part)
      return .part(part)
    }
    let part = JSONPart(buffer: buffer, keys: keys)
    try value.encode(to: JSONValueEncoder(part: part))
    guard case .leaf(let range) = part.form else { return .part(part) }
    return .leaf(range)
  }

  /// Writes the value, members in the order of their keys.
  func write(to output: inout [UInt8]) {
    switch form {
    case .leaf(let range): output += buffer.bytes[range]
    case .array:
      output.append(UInt8(ascii: "["))
      for index in elements.indices {
        if index > 0 { output.append(UInt8(ascii: ",")) }
        write(elements[index], to: &output)
      }
      output.append(UInt8(ascii: "]"))
    case .object:
      output.append(UInt8(ascii: "{"))
      let sorted = members.sorted { $0.key < $1.key }
      for index in sorted.indices {
        if index > 0 { output.append(UInt8(ascii: ",")) }
        JSONStringText.append(sorted[index].key, to: &output)
        output.append(UInt8(ascii: ":"))
        write(sorted[index].value, to: &output)
      }
      output.append(UInt8(ascii: "}"))
    }
  }

  private func write(_ value: Value, to output: inout [UInt8]) {
    switch value {
    case .leaf(let range): output += buffer.bytes[range]
    case .part(let part): part.write(to: &output)
    }
  }
}

/// The text of the leaves of one document.
final class JSONBuffer {
  private(set) var bytes: [UInt8] = []

  init() { bytes.reserveCapacity(1024) }

  func append(_ text: String) -> Range<Int> { added { JSONStringText.append(text, to: &$0) } }

  func append(_ flag: Bool) -> Range<Int> { added { $0 += (flag ? "true" : "false").utf8 } }

  func append(_ number: some FixedWidthInteger) -> Range<Int> { added { $0 += String(number).utf8 } }

  func appendNull() -> Range<Int> { added { $0 += "null".utf8 } }

  /// The shortest text that reads as the same number; nil for one that is not finite.
  func append(_ number: some BinaryFloatingPoint & LosslessStringConvertible) -> Range<Int>? {
    guard number.isFinite else { return nil }
    let text = String(number)
    return added { $0 += (text.hasSuffix(".0") ? text.dropLast(2) : text[...]).utf8 }
  }

  private func added(_ write: (inout [UInt8]) -> Void) -> Range<Int> {
    let start = bytes.count
    write(&bytes)
    return start..<bytes.count
  }
}

/// A dictionary whose keys are data.
protocol StringKeyed {
  /// Adds its members.
  func add(to part: JSONPart) throws
}

extension Dictionary: StringKeyed where Key == String, Value: Encodable {
  func add(to part: JSONPart) throws {
    for (key, value) in self { part.add(try part.value(value), asKeyed: key) }
  }
}
