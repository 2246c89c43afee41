/// Reads ASCII text from front to back.
struct TextReader {
  // An array: with the string's own view, decoding an account took a tenth longer.
  private let bytes: [UInt8]
  private var position = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  var isAtEnd: Bool { position == bytes.count }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  /// Reads one character; returns false and keeps its position if another is next.
  mutating func read(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  /// Reads one decimal digit.
  mutating func digit() -> Int? {
    guard let byte = next, ASCII.isDigit(byte) else { return nil }
    position += 1
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
    guard let index = words.firstIndex(where: { bytes[position...].starts(with: $0.utf8) }) else { return nil }
    position += words[index].utf8.count
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
