/// Comma-separated lists (RFC 9110 §5.6.1).
enum ListGrammar {
  /// Calls `body` with the bounds of each element, without surrounding whitespace; skips empty elements.
  static func forEachElement(_ bytes: Span<UInt8>, _ start: Int, _ end: Int, _ body: (Int, Int) -> Void) {
    var cursor = start
    while cursor < end {
      var first = cursor
      while cursor < end, bytes[cursor] != 0x2C { cursor += 1 }
      var last = cursor
      while first < last, ByteClass.isBlank(bytes[first]) { first += 1 }
      while last > first, ByteClass.isBlank(bytes[last - 1]) { last -= 1 }
      if first < last { body(first, last) }
      cursor += 1
    }
  }
}
