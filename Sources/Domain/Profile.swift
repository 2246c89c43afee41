package import FoundationEssentials

/// A language profile of an account (seed-rules A-28).
package struct Profile: Hashable, Sendable {
  package let profileID: String
  package let languageCode: String
  package let displayName: String?
  /// Nil if the backend does not say.
  package let createdAt: Date?

  package init(profileID: String, languageCode: String, displayName: String?, createdAt: Date?) {
    self.profileID = profileID
    self.languageCode = languageCode
    self.displayName = displayName
    self.createdAt = createdAt
  }
}
