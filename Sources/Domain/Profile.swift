package import FoundationEssentials

/// A language profile of an account (seed-rules A-29 "A profile has an id").
package struct Profile: Codable, Hashable, Sendable {
  package let profileID: String
  package let languageCode: String
  package let displayName: String?
  /// Nil if the backend sends none.
  package let createdAt: Date?

  package init(profileID: String, languageCode: String, displayName: String?, createdAt: Date?) {
    self.profileID = profileID
    self.languageCode = languageCode
    self.displayName = displayName
    self.createdAt = createdAt
  }

  /// The code of a profile whose language the backend left out: an undetermined language (BCP 47).
  private static let undetermined = "und"

  /// The profile with this language if the backend left it out.
  package func completed(by languageCode: String) -> Profile {
    guard self.languageCode == Self.undetermined else { return self }
    return Profile(profileID: profileID, languageCode: languageCode, displayName: displayName, createdAt: createdAt)
  }
}
