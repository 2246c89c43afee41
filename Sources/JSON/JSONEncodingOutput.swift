import FoundationEssentials

/// The document that an encoder writes, each value directly into the bytes; an object's members are put into order at its end.
final class JSONEncodingOutput {
  /// A member of an open object.
  private struct Member {
    let key: String
    /// The offset of the key's quotation mark.
    let start: Int
  }

  /// A value that is being encoded.
  private struct Level {
    enum Form { case nothing, object, array, leaf }

    var form = Form.nothing
    /// The index of its first member in `members`.
    let firstMember: Int
    var isSorted = true
  }

  private let keys: JSONCoding.Keys
  // One encoder uses them at a time; checking each access at run time would cost a tenth.
  @exclusivity(unchecked) private var writer: JSONWriter
  /// The members of all open objects.
  @exclusivity(unchecked) private var members: [Member] = []
  @exclusivity(unchecked) private var level = Level(firstMember: 0)
  /// The containers that stay open while others are written, with the offsets at which they belong.
  @exclusivity(unchecked) private var nested: [(offset: Int, output: JSONEncodingOutput)] = []

  init(keys: JSONCoding.Keys, capacity: Int = 0) {
    self.keys = keys
    writer = JSONWriter(capacity: capacity)
  }

  /// Ends the document and returns its bytes.
  func finish() -> [UInt8] {
    endLevel()
    var bytes: [UInt8] = []
    var end: Int = 0
    for (offset, output) in nested.sorted(by: { $0.offset < $1.offset }) {
      bytes += writer.bytes[end..<offset] + output.finish()
      end = offset
    }
    return nested.isEmpty ? writer.bytes : bytes + writer.bytes[end...]
  }
}

/// The open value, which is the innermost one that is being encoded.
extension JSONEncodingOutput {
  /// Makes it an object, unless it is one.
  func beginObject() {
    if level.form == .nothing { writer.beginObject() }
    level.form = .object
  }

  /// Makes it an array, unless it is one.
  func beginArray() {
    if level.form == .nothing { writer.beginArray() }
    level.form = .array
  }

  /// Makes it a leaf.
  @inline(__always)
  func write(leaf: some JSONLeaf) throws {
    level.form = .leaf
    try leaf.write(to: &writer)
  }

  /// Makes it null.
  func writeNull() {
    level.form = .leaf
    writer.null()
  }

  /// Encodes a value as it; a date becomes a timestamp, and keys of dictionaries are not converted.
  func write<T: Encodable>(_ value: T) throws {
    // Comparing the types first costs less than a cast that fails.
    if T.self == Date.self, let date = value as? Date { return try write(leaf: Timestamp(date)) }
    if T.self == Timestamp.self, let timestamp = value as? Timestamp { return try write(leaf: timestamp) }
    if keys != .asSpelled, let dictionary = value as? any StringKeyedDictionary { return try dictionary.write(to: self) }
    try value.encode(to: JSONValueEncoder(output: self))
  }

  /// Ends it; a value whose type encodes nothing is an empty object.
  private func endLevel() {
    switch level.form {
    case .nothing:
      writer.beginObject()
      writer.endObject()
    case .object:
      if !level.isSorted { sortMembers() }
      members.removeLast(members.count - level.firstMember)
      writer.endObject()
    case .array: writer.endArray()
    case .leaf: break
    }
  }

  /// Puts its members into the order of their keys.
  private func sortMembers() {
    let open = members[level.firstMember...]
    let inside = nested
    let start = open[open.startIndex].start
    let text = Array(writer.bytes[start...])
    let ends = open.dropFirst().map { $0.start - 1 } + [writer.bytes.count]
    writer.cut(to: JSONWriter.Mark(start: start, isFirst: true))
    for (member, end) in zip(open, ends).sorted(by: { $0.0.key < $1.0.key }) {
      writer.raw(text[(member.start - start)..<(end - start)])
      let shift = writer.bytes.count - end
      for index in inside.indices where (member.start...end).contains(inside[index].offset) {
        nested[index].offset = inside[index].offset + shift
      }
    }
  }
}

/// The members of the open object and the elements of the open array.
extension JSONEncodingOutput {
  /// Adds a member and converts its key according to `keys`.
  func add(_ value: some Encodable, for key: String) throws { try add(value, asKeyed: member(key)) }

  /// Adds a member whose key is not a property and is not converted.
  func add(_ value: some Encodable, asKeyed key: String) throws { try adding(key) { try writeInner(value) } }

  /// Adds a member that is a leaf.
  @inline(__always)
  func add(leaf: some JSONLeaf, for key: String) throws { try adding(member(key)) { try leaf.write(to: &writer) } }

  /// Adds a member that is null.
  func addNull(for key: String) throws { try adding(member(key)) { writer.null() } }

  /// Adds an element.
  func add(_ value: some Encodable) throws { try adding(nil) { try writeInner(value) } }

  /// Adds an element that is a leaf.
  @inline(__always)
  func add(leaf: some JSONLeaf) throws { try adding(nil) { try leaf.write(to: &writer) } }

  /// Adds an element that is null.
  func addNull() { writer.null() }

  /// Adds a member or an element that stays open while others are written.
  func addNested(for key: String? = nil) -> JSONEncodingOutput {
    let output = JSONEncodingOutput(keys: keys)
    // Writes no bytes, so that a comma follows; that cannot fail.
    try? adding(key.map(member)) { writer.raw([]) }
    nested.append((writer.bytes.count, output))
    return output
  }

  private func member(_ key: String) -> String { keys == .snakeCase ? SnakeCase.member(key) : key }

  /// Writes a value inside the open one.
  private func writeInner(_ value: some Encodable) throws {
    let outer = level
    level = Level(firstMember: members.count)
    defer { level = outer }
    try write(value)
    endLevel()
  }

  /// Writes a field, or an element without a key; one that cannot be encoded leaves no trace.
  @inline(__always)
  private func adding(_ key: String?, _ write: () throws -> Void) throws {
    let mark = writer.mark
    let count = members.count
    if let key {
      if count > level.firstMember, key < members[count - 1].key { level.isSorted = false }
      writer.key(key)
      members.append(Member(key: key, start: mark.valueStart))
    }
    do { try write() } catch {
      writer.cut(to: mark)
      members.removeLast(members.count - count)
      nested.removeAll { $0.offset > mark.start }
      throw error
    }
  }
}

/// A dictionary with string keys, which are not converted.
protocol StringKeyedDictionary {
  /// Writes the entries as members of the open value.
  func write(to output: JSONEncodingOutput) throws
}

extension Dictionary: StringKeyedDictionary where Key == String, Value: Encodable {
  func write(to output: JSONEncodingOutput) throws {
    output.beginObject()
    for (key, value) in self { try output.add(value, asKeyed: key) }
  }
}
