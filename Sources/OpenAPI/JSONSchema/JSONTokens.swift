import JSON

/// A document as its tokens, whose values are indices; for code that visits many values and must not allocate for each.
struct JSONTokens: Sendable {
  let document: JSONDocument
  let all: [JSONToken]
  let bytes: [UInt8]

  init(_ document: JSONDocument) {
    self.document = document
    all = document.tokens
    bytes = document.bytes
  }

  subscript(index: Int) -> JSONToken { all[index] }

  /// The unescaped text of a string or key, or the source of another value.
  func text(_ index: Int) -> String { document.text(of: all[index]) }

  /// The text of a string; nil for other kinds.
  func string(_ index: Int?) -> String? {
    guard let index, all[index].kind == .string else { return nil }
    return text(index)
  }

  /// The bytes of a string or key that has no escapes, without quotes.
  func plainRange(_ index: Int) -> Range<Int> { (all[index].start + 1)..<(all[index].end - 1) }

  /// Whether the value is `true`.
  func isTrue(_ index: Int?) -> Bool {
    guard let index, all[index].kind == .bool else { return false }
    return bytes[all[index].start] == UInt8(ascii: "t")
  }

  /// The value of a member; nil if there is none or the value is not an object.
  func member(_ name: String, of object: Int?) -> Int? {
    guard let object, all[object].kind == .object else { return nil }
    var key = object + 1
    for _ in 0..<all[object].count {
      let value = all[key].next
      if isText(key, name) { return value }
      key = all[value].next
    }
    return nil
  }

  private func isText(_ index: Int, _ name: String) -> Bool {
    // An escape of six bytes is the most that a byte takes.
    let length = all[index].end - all[index].start - 2
    guard length >= name.utf8.count, length / 6 <= name.utf8.count else { return false }
    if all[index].isEscaped { return Array(text(index).utf8) == Array(name.utf8) }
    return bytes[plainRange(index)].elementsEqual(name.utf8)
  }

  /// The members of an object; empty for other kinds.
  func members(of object: Int?) -> [(key: Int, value: Int)] {
    guard let object, all[object].kind == .object else { return [] }
    var result: [(key: Int, value: Int)] = []
    result.reserveCapacity(all[object].count)
    var key = object + 1
    for _ in 0..<all[object].count {
      let value = all[key].next
      result.append((key, value))
      key = all[value].next
    }
    return result
  }

  /// The elements of an array; empty for other kinds.
  func elements(of array: Int?) -> [Int] {
    guard let array, all[array].kind == .array else { return [] }
    var result: [Int] = []
    result.reserveCapacity(all[array].count)
    var element = array + 1
    for _ in 0..<all[array].count {
      result.append(element)
      element = all[element].next
    }
    return result
  }

  /// The most Unicode scalars of a name in a pointer.
  private static let maximumName = 300

  /// The JSON pointer of a value; names that are too long to be shown are cut.
  func pointer(to index: Int) -> String {
    var pointer = ""
    var value = 0
    while value < index {
      let isObject = all[value].kind == .object
      var child = value + 1
      var place = 0
      while child < all.count {
        let member = isObject ? all[child].next : child
        if index < all[member].next {
          pointer += "/" + (isObject ? PointerText.escaped(name(child)) : String(place))
          value = max(member, value + 1)
          break
        }
        child = all[member].next
        place += 1
      }
      if child >= all.count { break }
    }
    return pointer
  }

  private func name(_ key: Int) -> String { String(String.UnicodeScalarView(text(key).unicodeScalars.prefix(Self.maximumName))) }
}

/// Components of JSON pointers (RFC 6901 §3).
enum PointerText {
  /// A component with `~` and `/` escaped.
  static func escaped(_ name: String) -> String { name.replacing("~", with: "~0").replacing("/", with: "~1") }
}
