/// The configuration that the backend serves: features, languages, limits and intervals.
///
/// The default values apply until the backend's first response.
package struct AppConfig: Hashable, Sendable {
  /// A supported language.
  package struct Language: Hashable, Sendable {
    /// The BCP 47 code.
    package let code: String
    /// The name in the language itself.
    package let name: String

    package init(code: String, name: String) {
      self.code = code
      self.name = name
    }
  }

  /// Feature flags.
  package struct Features: Hashable, Sendable {
    package var loginCode = true
    package var analyticsOptOut = true
    package var developerTools = false
    package var accountDeletion = true
    package var logoutEndpoint = false
    package var idempotencyKeys = false
  }

  package var defaultLanguageCode = "en"
  package var supportedLanguages: [Language] = []
  package var features = Features()
  /// The minimum time between two login messages to one identifier, in seconds.
  package var cooldownSeconds = 0
  /// The number of digits of a login code.
  package var codeLength = 6
  /// The hosts whose deep links are accepted.
  package var trustedLinkHosts: [String] = []
  /// The number of rows that the network log keeps.
  package var networkLogCapacity = 2000
  /// How long before it expires an access token is refreshed, in seconds.
  package var refreshMarginSeconds = 120
  /// The user actions that the backend offers, from its file and not from the backend.
  package var offer = BackendOffer.contract

  package init() {}
}
