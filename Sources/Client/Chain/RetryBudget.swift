import Locking

/// A token bucket for retries, as a value, which keeps a client from amplifying an outage.
///
/// The numbers are those of the standard retry mode of the AWS SDKs: however many calls fail, at most `capacity / cost` retries
/// are sent until calls succeed again.
package struct RetryBudget: Hashable, Sendable {
  /// The tokens at the start and at most.
  package static let capacity = 500
  /// The cost of a retry, in tokens.
  package static let cost = 5
  /// The cost of a retry after a timeout, because the backend may still be working on the previous attempt.
  private static let timeoutCost = 10

  /// The tokens that are left.
  package private(set) var tokens = capacity

  /// Withdraws and returns the cost of a retry after `error`; nil if too few tokens are left for one.
  package mutating func withdraw(after error: NetworkError) -> Int? {
    let cost = error == .timeout ? Self.timeoutCost : Self.cost
    guard tokens >= cost else { return nil }
    tokens -= cost
    return cost
  }

  /// Returns the cost of a successful call's last retry, or 1 token if it succeeded at once.
  package mutating func refund(_ cost: Int?) { tokens = min(Self.capacity, tokens + (cost ?? 1)) }
}

/// One client's retry budget, shared by its concurrent calls.
final class SharedRetryBudget: Sendable {
  private let budget = Locked(RetryBudget())

  /// The tokens that are left.
  var tokens: Int { budget.withLock { $0.tokens } }

  /// See `RetryBudget.withdraw(after:)`.
  func withdraw(after error: NetworkError) -> Int? { budget.withLock { $0.withdraw(after: error) } }

  /// See `RetryBudget.refund(_:)`.
  func refund(_ cost: Int?) { budget.withLock { $0.refund(cost) } }
}
