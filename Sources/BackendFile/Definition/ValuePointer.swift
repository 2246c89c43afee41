package import JSON

/// A JSON pointer (RFC 6901) in which the segment `NAME=VALUE` is the first element of an array whose member NAME is VALUE.
package struct ValuePointer: Hashable, Sendable {
  package let text: String
  private let segments: [String]

  /// Nil unless the text is empty or begins with `/`, and each `~` begins `~0` or `~1`.
  package init?(_ text: String) {
    guard text.isEmpty || text.hasPrefix("/") else { return nil }
    let segments = text.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    for segment in segments {
      for part in segment.split(separator: "~", omittingEmptySubsequences: false).dropFirst() {
        guard part.hasPrefix("0") || part.hasPrefix("1") else { return nil }
      }
    }
    self.text = text
    self.segments = segments.map { String($0).replacing("~1", with: "/").replacing("~0", with: "~") }
  }

  /// The value that it leads to; nil if there is none.
  package func value(in root: JSONNode) -> JSONNode? {
    var value = root
    for segment in segments {
      guard let next = value.kind == .array ? Self.element(segment, of: value) : value[segment] else { return nil }
      value = next
    }
    return value
  }

  private static func element(_ segment: String, of array: JSONNode) -> JSONNode? {
    if let equals = segment.firstIndex(of: "=") {
      let name = String(segment[..<equals])
      let text = segment[segment.index(after: equals)...]
      return array.elements.first { $0[name]?.scalarText == String(text) }
    }
    // RFC 6901 §4: no leading zero.
    guard let index = SmallInteger.read(Array(segment.utf8)[...]), String(index) == segment, index >= 0, index < array.count
    else { return nil }
    return array.elements[Int(index)]
  }
}

extension JSONNode {
  /// A string, or the source of a number or a Boolean; nil for other kinds.
  package var scalarText: String? {
    switch kind {
    case .string: string
    case .number, .bool: sourceText
    case .object, .array, .null: nil
    }
  }
}
