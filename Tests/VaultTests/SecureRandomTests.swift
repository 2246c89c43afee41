import Testing

@testable import Vault

struct SecureRandomTests {
  /// Each digit has 25 of the accepted bytes, so all strings of digits are equally likely.
  @Test func eachDigitHasEquallyManyBytes() {
    // Bytes are taken from the end, so the six that are rejected come first.
    var source = Array(UInt8.min...UInt8.max)
    let digits = SecureRandom.digits(250) { source.removeLast() }
    #expect(source.isEmpty)
    for digit in "0123456789" { #expect(digits.filter { $0 == digit }.count == 25) }
  }

  @Test func theFirstAndLastCodeAreReached() {
    #expect(SecureRandom.digits(6) { 0 } == "000000")
    #expect(SecureRandom.digits(6) { 249 } == "999999")
  }

  @Test func digitsHaveTheLengthAskedFor() {
    var seen: Set<Character> = []
    for count in 0...64 {
      let text = SecureRandom.digits(count)
      #expect(text.utf8.count == count)
      seen.formUnion(text)
    }
    #expect(seen == Set("0123456789"))
  }

  /// A bound of 2³¹+1 rejects nearly half of all words, beginning with the first beyond the last whole multiple.
  @Test func wordsBeyondTheLastMultipleAreDrawnAgain() {
    let bound: UInt32 = 1 << 31 | 1
    var words: [UInt32] = [5, bound, UInt32.max]
    #expect(SecureRandom.below(bound) { words.removeLast() } == 5)
    #expect(words.isEmpty)
    #expect(SecureRandom.below(bound) { bound - 1 } == bound - 1)
    #expect(SecureRandom.below(10) { 4_294_967_289 } == 9)
    #expect(SecureRandom.below(1 << 16) { UInt32.max } == 65535)
  }

  @Test func numbersStayBelowTheirBound() {
    #expect(SecureRandom.below(0) == 0)
    #expect(SecureRandom.below(1) == 0)
    var seen: Set<UInt32> = []
    for _ in 0..<1000 { seen.insert(SecureRandom.below(7)) }
    #expect(seen == Set(0..<7))
  }

  @Test func identifiersAreVersionFour() throws {
    let pattern = try Regex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
    let identifiers = (0..<200).map { _ in SecureRandom.uuid() }
    for identifier in identifiers { #expect(try pattern.wholeMatch(in: identifier) != nil) }
    #expect(Set(identifiers).count == 200)
  }

  @Test func bytesDiffer() {
    #expect(SecureRandom.bytes(0).isEmpty)
    #expect(SecureRandom.bytes(32).count == 32)
    #expect(SecureRandom.bytes(32) != SecureRandom.bytes(32))
  }
}
