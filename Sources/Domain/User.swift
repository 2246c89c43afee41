package import FoundationEssentials

/// The signed-in user, with the fields that the app needs (seed-rules A-28 "A user has ids").
package struct User: Codable, Hashable, Sendable {
  private enum CodingKeys: String, CodingKey {
    case userID, accountID, email, phone, displayName, roles, activeProfileID, createdAt, deletionScheduledFor
  }

  package let userID: String
  package let accountID: String
  package let email: String?
  package let phone: String?
  package let displayName: String?
  package let roles: [String]
  package let activeProfileID: String?
  /// Nil if the backend sends none.
  package let createdAt: Date?
  /// When the account will be deleted; nil if no deletion is scheduled.
  package let deletionScheduledFor: Date?
  /// Whether the account allows analytics; nil if the backend sends no choice. It is not coded.
  package private(set) var allowsAnalytics: Bool?

  package init(
    userID: String, accountID: String, email: String?, phone: String?, displayName: String?, roles: [String],
    activeProfileID: String?, createdAt: Date?, deletionScheduledFor: Date?,
    allowsAnalytics: Bool? = nil
  ) {
    self.userID = userID
    self.accountID = accountID
    self.email = email
    self.phone = phone
    self.displayName = displayName
    self.roles = roles
    self.activeProfileID = activeProfileID
    self.createdAt = createdAt
    self.deletionScheduledFor = deletionScheduledFor
    self.allowsAnalytics = allowsAnalytics
  }
}

extension User {
  /// Whether the user has the role `developer`, which developer tools require (seed-rules A-39 "developer access").
  package var isDeveloper: Bool { roles.contains("developer") }

  /// The user without identifying fields.
  package var withoutIdentifiers: User {
    User(
      userID: userID, accountID: accountID, email: nil, phone: nil, displayName: nil, roles: roles,
      activeProfileID: activeProfileID, createdAt: createdAt, deletionScheduledFor: deletionScheduledFor,
      allowsAnalytics: allowsAnalytics)
  }
}
