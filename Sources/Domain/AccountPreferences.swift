/// Preferences of an account that only the device stores, not the backend (seed-rules A-42 "analytics on and off", A-59 "respect
/// the opt-out").
package struct AccountPreferences: Sendable {
  /// Whether the account allows analytics; for an unknown account (nil), whether every account of this device does.
  package var analyticsOptedIn: @Sendable (_ accountID: String?) async -> Bool
  /// Stores the account's choice; throws `AccountError.storageFull` on failure.
  package var setAnalyticsOptedIn: @Sendable (_ accountID: String, _ isOptedIn: Bool) async throws(AccountError) -> Void
  /// The language that was last chosen on this device; nil if none was.
  package var preferredLanguageCode: @Sendable () async -> String?
  /// Stores the language; ignores failures, because the backend stores the active profile.
  package var setPreferredLanguageCode: @Sendable (_ code: String) async -> Void

  package init(
    analyticsOptedIn: @escaping @Sendable (String?) async -> Bool,
    setAnalyticsOptedIn: @escaping @Sendable (String, Bool) async throws(AccountError) -> Void,
    preferredLanguageCode: @escaping @Sendable () async -> String?,
    setPreferredLanguageCode: @escaping @Sendable (String) async -> Void
  ) {
    self.analyticsOptedIn = analyticsOptedIn
    self.setAnalyticsOptedIn = setAnalyticsOptedIn
    self.preferredLanguageCode = preferredLanguageCode
    self.setPreferredLanguageCode = setPreferredLanguageCode
  }
}
