import FoundationEssentials

/// A value during encoding; the text of scalars is in a shared buffer, to which objects and arrays refer.
final class JSONEncodingNode {
  /// The value of a member or element.
  enum Value {
    /// A range of the buffer.
    case leaf(Range<Int>)
    case node(JSONEncodingNode)
  }

  /// The form of the value; an empty object if its type encodes nothing.
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

  /// Adds a member and converts its key according to `keys`.
  func add(_ value: Value, for key: String) { members.append((keys == .snakeCase ? SnakeCase.member(key) : key, value)) }

  /// Adds a member whose key is not a property and is not converted.
  func add(_ value: Value, asKeyed key: String) { members.append((key, value)) }

  /// Adds an element.
  func add(_ value: Value) { elements.append(value) }

  /// Takes over the value of another node of the same document.
  func adopt(_ other: JSONEncodingNode) { (form, members, elements) = (other.form, other.members, other.elements) }

  /// Encodes a value; a date becomes a timestamp, and keys of dictionaries are not converted.
  func value<T: Encodable>(_ value: T) throws -> Value {
    // Comparing the types first costs less than a cast that fails.
    if T.self == Date.self, let date = value as? Date { return .leaf(buffer.append(Timestamp(date).text)) }
    if T.self == Timestamp.self, let timestamp = value as? Timestamp { return .leaf(buffer.append(timestamp.text)) }
    if let dictionary = value as? any StringKeyedDictionary {
      let node = JSONEncodingNode(buffer: buffer, keys: keys)
      try dictionary.add(to: node)
      return .node(node)
    }
    let node = JSONEncodingNode(buffer: buffer, keys: keys)
    try value.encode(to: JSONValueEncoder(node: node))
    guard case .leaf(let range) = node.form else { return .node(node) }
    return .leaf(range)
  }

  /// Writes the value with sorted keys.
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
    case .node(let node): node.write(to: &output)
    }
  }
}

/// The text of the scalars of a document.
final class JSONBuffer {
  private(set) var bytes: [UInt8] = []

  init() { bytes.reserveCapacity(1024) }

  func append(_ text: String) -> Range<Int> { added { JSONStringText.append(text, to: &$0) } }

  /// Appends a text that is JSON already.
  func append(json: String) -> Range<Int> { added { $0 += json.utf8 } }

  func append(_ flag: Bool) -> Range<Int> { added { $0 += (flag ? "true" : "false").utf8 } }

  func append(_ number: some FixedWidthInteger) -> Range<Int> { added { $0 += String(number).utf8 } }

  func appendNull() -> Range<Int> { added { $0 += "null".utf8 } }

  /// Appends the shortest text that parses as the same number; returns nil if the number is not finite.
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

/// A dictionary with string keys, which are not converted.
protocol StringKeyedDictionary {
  /// Adds the entries as members.
  func add(to node: JSONEncodingNode) throws
}

extension Dictionary: StringKeyedDictionary where Key == String, Value: Encodable {
  func add(to node: JSONEncodingNode) throws {
    for (key, value) in self { node.add(try node.value(value), asKeyed: key) }
  }
}
