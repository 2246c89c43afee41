import Testing

@testable import JSON

@Suite struct JSONDecimalTests {
  private func decimal(_ text: String) -> JSONDecimal { JSONDecimal(Array(text.utf8)[...]) }

  @Test(arguments: [
    ("1", "1.0"), ("100", "1e2"), ("0.05", "5E-2"), ("-0", "0"), ("0e99", "0.000"), ("12.50", "1.25e+1"),
    ("123456789012345678901234567890", "1.2345678901234567890123456789e29"),
  ]) func notationsOfANumberAreEqual(one: String, other: String) {
    #expect(decimal(one) == decimal(other))
    #expect(!(decimal(one) < decimal(other)) && !(decimal(other) < decimal(one)))
  }

  @Test(arguments: [
    ("1", "2"), ("-2", "-1"), ("-1", "0"), ("0", "0.1"), ("9", "10"), ("0.99", "1"), ("1e-400", "1e400"), ("-1e400", "1e-400"),
    ("9007199254740992", "9007199254740993"), ("98249283749234923498293171823948729348710298301928331", "1e60"),
  ]) func theOrderIsThatOfTheValues(smaller: String, greater: String) {
    #expect(decimal(smaller) < decimal(greater))
    #expect(!(decimal(greater) < decimal(smaller)))
  }

  @Test(arguments: [
    ("10", "2", true), ("7", "2", false), ("0", "0.7", true), ("4.5", "1.5", true), ("35", "1.5", false),
    ("0.0075", "0.0001", true),
    ("0.00751", "0.0001", false), ("19.99", "0.01", true), ("1e308", "0.123456789", false), ("12391239123", "1e-8", true),
    ("-9", "3", true), ("1e1000000", "3", false), ("3e1000000", "3", true), ("5", "10", false), ("1e3", "8", true),
    ("1e2", "8", false),
  ]) func multiplesAreExact(number: String, divisor: String, isMultiple: Bool) {
    #expect(decimal(number).isMultiple(of: decimal(divisor)) == isMultiple)
  }

  @Test func aDivisorThatIsTooLongIsNotDecided() {
    #expect(decimal("1").isMultiple(of: decimal("1234567890123456789")) == nil)
  }

  @Test func wholeNumbersAndCounts() {
    #expect(decimal("1.0").isInteger && decimal("1e2").isInteger && decimal("0.0").isInteger)
    #expect(!decimal("1.5").isInteger && !decimal("1e-1").isInteger)
    #expect(decimal("2.0").asCount == 2 && decimal("1e2").asCount == 100 && decimal("0").asCount == 0)
    #expect(decimal("1e99").asCount == Int(Int32.max))
    #expect(decimal("-1").asCount == nil && decimal("1.5").asCount == nil)
  }
}
