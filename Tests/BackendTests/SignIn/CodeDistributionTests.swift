import Support
import Testing
import Vault

@testable import Backend

/// Codes are uniform from 000000 to 999999.
@Suite(.timeLimit(.minutes(1))) struct CodeDistributionTests {
  /// A chi-square test of many codes, by their first and by their last three digits: 999 degrees of freedom.
  @Test func manyCodesAreUniform() {
    var heads = [Double](repeating: 0, count: 1000)
    var tails = [Double](repeating: 0, count: 1000)
    let count = Rounds.scaled(100_000)
    for _ in 0..<count {
      var value = 0
      for byte in SecureRandom.digits(Lifetimes.codeLength).utf8 { value = value * 10 + Int(byte) - 48 }
      heads[value / 1000] += 1
      tails[value % 1000] += 1
    }
    let expected = Double(count) / 1000
    for counts in [heads, tails] {
      let chiSquare = counts.reduce(0) { $0 + ($1 - expected) * ($1 - expected) / expected }
      // Five standard deviations: 999 ± 5 × √1998, about one false alarm in a million runs.
      #expect(abs(chiSquare - 999) < 224)
    }
  }
}
