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
