/// Turns analytics on or off for the account on this device (seed 002 §4.1, `toggleAnalyticsOptIn`).
package struct SetAnalyticsOptIn: Sendable {
  private let preferences: AccountPreferences
  private let analytics: Analytics

  /// Makes the use case of its ports.
  package init(preferences: AccountPreferences, analytics: Analytics) {
    self.preferences = preferences
    self.analytics = analytics
  }

  /// Keeps the choice and reports the change.
  ///
  /// The change itself is the last event of an account that opts out, and was allowed when it was made; from then on nothing is
  /// recorded. Throws `AccountError.featureDisabled` where the backend does not let users opt out, or `storageFull`.
  package func callAsFunction(_ isOptedIn: Bool, accountID: String, config: AppConfig) async throws(AccountError) {
    guard isOptedIn || config.features.analyticsOptOut else { throw .featureDisabled }
    let before = await preferences.analyticsOptedIn(accountID)
    try await preferences.setAnalyticsOptedIn(accountID, isOptedIn)
    if before != isOptedIn { analytics.record(.analyticsOptInChanged(isOptedIn)) }
  }
}
