import Locking

/// What a client may still spend on sending calls again; a value that keeps an outage from being amplified (reference case 20).
///
/// The numbers are those of the AWS SDKs' standard mode: however many calls fail, at most `capacity / cost` more attempts go out,
/// until calls succeed again.
package struct RetryBudget: Hashable, Sendable {
  /// What it holds at the start and at most, in tokens.
  package static let capacity = 500
  /// What another attempt costs.
  package static let cost = 5
  /// What another attempt costs after a limit of time passed, since the backend may still be at work on the one before.
  package static let timeoutCost = 10

  /// The tokens that are left.
  package private(set) var tokens = capacity

  /// Makes a full budget.
  package init() {}

  /// Takes what another attempt after `error` costs and returns it; nil where too little is left, and none may go out.
  package mutating func withdraw(after error: NetworkError) -> Int? {
    let cost = error == .timeout ? Self.timeoutCost : Self.cost
    guard tokens >= cost else { return nil }
    tokens -= cost
    return cost
  }

  /// Notes that a call succeeded; gives back what its last attempt cost, or 1 where its first one did.
  package mutating func refund(_ cost: Int?) { tokens = min(Self.capacity, tokens + (cost ?? 1)) }
}

/// One client's budget, which its calls draw on at the same time.
final class SharedRetryBudget: Sendable {
  private let budget = Locked(RetryBudget())

  /// The tokens that are left.
  var tokens: Int { budget.withLock { $0.tokens } }

  /// See `RetryBudget.withdraw(after:)`.
  func withdraw(after error: NetworkError) -> Int? { budget.withLock { $0.withdraw(after: error) } }

  /// See `RetryBudget.refund(_:)`.
  func refund(_ cost: Int?) { budget.withLock { $0.refund(cost) } }
}
