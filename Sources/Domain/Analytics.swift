/// Records analytics events if the account's opt-in allows them (seed-rules A-59 "respect the opt-out").
package struct Analytics: Sendable {
  private let isOptedIn: @Sendable (_ accountID: String?) async -> Bool
  private let accountID: @Sendable () async -> String?
  private let sink: @Sendable (AnalyticsEvent) -> Void

  /// `accountID` returns the signed-in account, `isOptedIn` that account's choice; `sink` receives the allowed events.
  package init(
    isOptedIn: @escaping @Sendable (String?) async -> Bool, accountID: @escaping @Sendable () async -> String?,
    sink: @escaping @Sendable (AnalyticsEvent) -> Void
  ) {
    self.isOptedIn = isOptedIn
    self.accountID = accountID
    self.sink = sink
  }

  /// Records the event if the signed-in account allows it.
  package func emit(_ event: AnalyticsEvent) async {
    if await isAllowed() { sink(event) }
  }

  /// Records the event if the account allows it.
  package func emit(_ event: AnalyticsEvent, account: String) async {
    if await isOptedIn(account) { sink(event) }
  }

  /// Whether the signed-in account allows analytics.
  func isAllowed() async -> Bool { await isOptedIn(await accountID()) }

  /// Records an event without a check, for callers that checked before the event happened.
  func record(_ event: AnalyticsEvent) { sink(event) }
}
