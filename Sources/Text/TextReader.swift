/// Reads ASCII text from front to back.
struct TextReader {
  private(set) var rest: Substring.UTF8View

  init(_ text: String) { rest = text[...].utf8 }

  var isAtEnd: Bool { rest.isEmpty }

  /// Reads one character; returns false and stays where it is if another is next.
  mutating func read(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest.removeFirst()
    return true
  }

  /// Reads one decimal digit.
  mutating func digit() -> Int? {
    guard let byte = rest.first, ASCII.isDigit(byte) else { return nil }
    rest.removeFirst()
    return Int(byte &- 0x30)
  }

  /// Reads exactly `count` decimal digits.
  mutating func number(digits count: Int) -> Int? {
    var value = 0
    for _ in 0..<count {
      guard let digit = digit() else { return nil }
      value = value * 10 + digit
    }
    return value
  }

  /// Reads one of the words and returns its index.
  mutating func word(of words: [String]) -> Int? {
    guard let index = words.firstIndex(where: { rest.starts(with: $0.utf8) }) else { return nil }
    rest.removeFirst(words[index].utf8.count)
    return index
  }

  /// Reads `hh:mm:ss` and returns the second of the day; a leap second counts as the second before it.
  mutating func timeOfDay(allowsLeapSecond: Bool) -> Int? {
    guard let hour = number(digits: 2), hour < 24, read(":"), let minute = number(digits: 2), minute < 60, read(":"),
      let second = number(digits: 2), second < 60 || second == 60 && allowsLeapSecond
    else { return nil }
    return (hour * 60 + minute) * 60 + min(second, 59)
  }
}
