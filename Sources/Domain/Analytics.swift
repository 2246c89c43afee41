/// The one door for analytics: asks for the account's choice, then hands the event to the sink (seed 002 §6).
package struct Analytics: Sendable {
  private let isOptedIn: @Sendable (_ accountID: String?) async -> Bool
  private let accountID: @Sendable () async -> String?
  private let sink: @Sendable (AnalyticsEvent) -> Void

  /// Makes the door; `accountID` tells who is signed in, `isOptedIn` that account's choice, and `sink` keeps what is allowed.
  package init(
    isOptedIn: @escaping @Sendable (String?) async -> Bool, accountID: @escaping @Sendable () async -> String?,
    sink: @escaping @Sendable (AnalyticsEvent) -> Void
  ) {
    self.isOptedIn = isOptedIn
    self.accountID = accountID
    self.sink = sink
  }

  /// Records the event if whoever is signed in allows it.
  package func emit(_ event: AnalyticsEvent) async {
    if await isAllowed() { sink(event) }
  }

  /// Records the event if the account allows it.
  package func emit(_ event: AnalyticsEvent, account: String) async {
    if await isOptedIn(account) { sink(event) }
  }

  /// Whether whoever is signed in allows analytics.
  func isAllowed() async -> Bool { await isOptedIn(await accountID()) }

  /// Records an event for which the choice was asked before it happened.
  func record(_ event: AnalyticsEvent) { sink(event) }
}
