@testable import Client
import HTTPTypes
import RPC
import Support
import Locking
import Testing

/// How much an outage may be amplified (edge case 20), as a value; `EdgeCases17To20` tests it over the whole chain.
struct RetryBudgetTests {
  @Test func anAttemptCostsFiveAndAfterATimeoutTen() {
    var budget = RetryBudget()
    #expect(budget.withdraw(after: .server(statusCode: 503)) == 5)
    #expect(budget.withdraw(after: .timeout) == 10)
    #expect(budget.tokens == 485)
  }

  @Test func anEmptyBudgetGivesNothingUntilCallsSucceed() {
    var budget = RetryBudget()
    var granted = 0
    while budget.withdraw(after: .offline) != nil { granted += 1 }
    #expect(granted == 100)
    for _ in 0..<4 { budget.refund(nil) }
    #expect(budget.withdraw(after: .offline) == nil)
    budget.refund(nil)
    #expect(budget.withdraw(after: .timeout) == nil)
    #expect(budget.withdraw(after: .offline) == 5)
  }

  @Test func aSuccessGivesBackWhatItCostAndNeverMoreThanFits() {
    var budget = RetryBudget()
    budget.refund(nil)
    #expect(budget.tokens == RetryBudget.capacity)
    let cost = budget.withdraw(after: .timeout)
    budget.refund(cost)
    #expect(budget.tokens == RetryBudget.capacity)
    budget.refund(10)
    #expect(budget.tokens == RetryBudget.capacity)
  }

  /// 10,000 calls with three attempts each while everything fails, then a recovery.
  @Test func attemptsStayWithinCallsAndAHundred() {
    var budget = RetryBudget()
    func attempts(_ calls: Int, succeeding: (Int) -> Bool) -> Int {
      var count = 0
      for call in 0..<calls {
        var cost: Int?
        for attempt in 1...RetryPlan.attempts {
          count += 1
          if succeeding(call) {
            budget.refund(cost)
            break
          }
          guard attempt < RetryPlan.attempts, let spent = budget.withdraw(after: .server(statusCode: 503)) else { break }
          cost = spent
        }
      }
      return count
    }
    #expect(attempts(10_000) { _ in false } == 10_100)
    #expect(attempts(1000) { _ in true } == 1000)
    #expect(budget.tokens == RetryBudget.capacity)
    // Once full again, it allows as many retries again.
    #expect(attempts(1000) { _ in false } == 1100)
  }
}
