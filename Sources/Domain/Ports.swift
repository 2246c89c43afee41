package import FoundationEssentials

/// The backend's answer to a request for a login message.
package struct LoginRequestReceipt: Hashable, Sendable {
  /// Seconds until another message may be asked for.
  package let cooldownSeconds: Int
  /// Seconds for which the link or code is good.
  package let expiresInSeconds: Int

  /// Makes a receipt of its parts.
  package init(cooldownSeconds: Int, expiresInSeconds: Int) {
    self.cooldownSeconds = cooldownSeconds
    self.expiresInSeconds = expiresInSeconds
  }
}

/// The login calls that the use cases need; redeeming stores the tokens in the session before it returns.
package struct AuthGateway: Sendable {
  /// Asks for a link; `state` comes back in it.
  package var requestMagicLink:
    @Sendable (_ identifier: Identifier, _ state: String) async throws(AuthError) -> LoginRequestReceipt
  /// Asks for a code.
  package var requestLoginCode: @Sendable (_ identifier: Identifier) async throws(AuthError) -> LoginRequestReceipt
  /// Redeems a link's token.
  package var redeemMagicToken: @Sendable (_ token: String, _ state: String?) async throws(AuthError) -> Void
  /// Redeems a code.
  package var redeemCode: @Sendable (_ identifier: Identifier, _ code: String) async throws(AuthError) -> Void
  /// Ends the session on this device, and on the backend where it can be told.
  package var logout: @Sendable (_ reason: LogoutReason) async -> Void

  /// Makes a gateway of its calls.
  package init(
    requestMagicLink: @escaping @Sendable (Identifier, String) async throws(AuthError) -> LoginRequestReceipt,
    requestLoginCode: @escaping @Sendable (Identifier) async throws(AuthError) -> LoginRequestReceipt,
    redeemMagicToken: @escaping @Sendable (String, String?) async throws(AuthError) -> Void,
    redeemCode: @escaping @Sendable (Identifier, String) async throws(AuthError) -> Void,
    logout: @escaping @Sendable (LogoutReason) async -> Void
  ) {
    self.requestMagicLink = requestMagicLink
    self.requestLoginCode = requestLoginCode
    self.redeemMagicToken = redeemMagicToken
    self.redeemCode = redeemCode
    self.logout = logout
  }
}

/// Who is signed in, with the profiles, and whether the backend said so just now.
package struct FetchedAccount: Hashable, Sendable {
  package let user: User
  package let profiles: [Profile]
  package let source: AccountDashboard.Source

  /// Makes an account of its parts.
  package init(user: User, profiles: [Profile], source: AccountDashboard.Source = .network) {
    self.user = user
    self.profiles = profiles
    self.source = source
  }
}

/// The account calls that the use cases need.
package struct AccountGateway: Sendable {
  /// Fetches who is signed in, with the profiles; what was kept stands in where the backend cannot be reached.
  package var fetchMe: @Sendable () async throws(AccountError) -> FetchedAccount
  /// Fetches the configuration; needs no session.
  package var fetchAppConfig: @Sendable () async throws(AccountError) -> AppConfig
  /// Gets the account's profile of a language, made where there is none; the active one stays (seed 002 §3.2).
  package var getOrCreateProfile: @Sendable (_ accountID: String, _ languageCode: String) async throws(AccountError) -> Profile
  /// Makes the account's profile of a language the one in use (seed 002 §3.2).
  package var setActiveProfile: @Sendable (_ accountID: String, _ languageCode: String) async throws(AccountError) -> Profile
  /// Asks for the deletion of the account that is signed in; returns when it goes for good.
  ///
  /// Throws `AccountError.outcomeUnknown` where the request may have arrived and the answer did not.
  package var requestDeletion: @Sendable () async throws(AccountError) -> Date

  /// Makes a gateway of its calls.
  package init(
    fetchMe: @escaping @Sendable () async throws(AccountError) -> FetchedAccount,
    fetchAppConfig: @escaping @Sendable () async throws(AccountError) -> AppConfig,
    getOrCreateProfile: @escaping @Sendable (String, String) async throws(AccountError) -> Profile,
    setActiveProfile: @escaping @Sendable (String, String) async throws(AccountError) -> Profile,
    requestDeletion: @escaping @Sendable () async throws(AccountError) -> Date
  ) {
    self.fetchMe = fetchMe
    self.fetchAppConfig = fetchAppConfig
    self.getOrCreateProfile = getOrCreateProfile
    self.setActiveProfile = setActiveProfile
    self.requestDeletion = requestDeletion
  }
}

/// What a device keeps for an account beside the backend: the choices that the backend has no place for (seed 002 §4.1, §6).
package struct AccountPreferences: Sendable {
  /// Whether analytics are on for the account; for nil, the account being unknown, whether no account of this device is opted out.
  package var analyticsOptedIn: @Sendable (_ accountID: String?) async -> Bool
  /// Keeps the account's choice; throws `AccountError.storageFull` where it cannot be kept.
  package var setAnalyticsOptedIn: @Sendable (_ accountID: String, _ isOptedIn: Bool) async throws(AccountError) -> Void
  /// The language that was chosen last on this device; nil where none was.
  package var preferredLanguageCode: @Sendable () async -> String?
  /// Keeps the language; that it cannot be kept changes nothing, since the backend knows the active profile.
  package var setPreferredLanguageCode: @Sendable (_ code: String) async -> Void

  /// Makes the port of its closures.
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

/// What a device remembers about the login messages it asked for; kept over a restart.
package struct LoginLedger: Sendable {
  /// Takes the identifier's turn until the instant, in one step; returns when to ask again where the turn is taken.
  package var reserve: @Sendable (_ identifier: Identifier, _ until: Date) async -> Date?
  /// Sets when the identifier may be asked for again.
  package var setRetryAt: @Sendable (_ identifier: Identifier, _ retryAt: Date) async -> Void
  /// Makes and remembers a link `state`.
  package var makeState: @Sendable () async -> String
  /// Whether this device made the `state`.
  package var knowsState: @Sendable (_ state: String) async -> Bool

  /// Makes a ledger of its calls.
  package init(
    reserve: @escaping @Sendable (Identifier, Date) async -> Date?,
    setRetryAt: @escaping @Sendable (Identifier, Date) async -> Void,
    makeState: @escaping @Sendable () async -> String,
    knowsState: @escaping @Sendable (String) async -> Bool
  ) {
    self.reserve = reserve
    self.setRetryAt = setRetryAt
    self.makeState = makeState
    self.knowsState = knowsState
  }
}
