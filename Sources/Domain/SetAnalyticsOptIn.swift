/// Turns analytics on or off for the account on this device (seed-rules A-42 "analytics on and off").
package struct SetAnalyticsOptIn: Sendable {
  private let preferences: AccountPreferences
  private let analytics: Analytics

  package init(preferences: AccountPreferences, analytics: Analytics) {
    self.preferences = preferences
    self.analytics = analytics
  }

  /// Stores the choice and reports the change.
  ///
  /// The change is the last event of an account that opts out. Throws `AccountError.featureDisabled` if the backend does not let users
  /// opt out, or `storageFull`.
  package func callAsFunction(_ isOptedIn: Bool, accountID: String, config: AppConfig) async throws(AccountError) {
    guard isOptedIn || config.features.analyticsOptOut else { throw .featureDisabled }
    let before = await preferences.analyticsOptedIn(accountID)
    try await preferences.setAnalyticsOptedIn(accountID, isOptedIn)
    if before != isOptedIn { analytics.record(.analyticsOptInChanged(isOptedIn)) }
  }
}
