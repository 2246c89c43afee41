import JSON
import RPC
import Storage

/// Identifiers whose new accounts get special data, so that the difficult cases of a page are one sign-in away.
enum SeedUser: String, CaseIterable, Sendable {
  /// No special data.
  case new = "new@example.com"
  /// A very long display name with a word that cannot be wrapped.
  case longName = "long-name@example.com"
  /// A display name and an active profile in right-to-left script.
  case rightToLeft = "rtl@example.com"
  /// A profile in every language.
  case manyProfiles = "many-profiles@example.com"
  /// The role that may see the developer tools.
  case developer = "developer@example.com"
  /// A scheduled deletion.
  case deleting = "deleting@example.com"

  var displayName: String? {
    switch self {
    case .longName:
      "A display name that is far longer than any heading, menu, chip or table cell was ever drawn for, with one word of "
        + String(repeating: "unbreakable", count: 8) + " length, an emoji 👩🏽‍🚀 and <b>no markup</b> & no entity"
    case .rightToLeft: "حساب تجريبي (تجربة 42)"
    case .new, .manyProfiles, .developer, .deleting: nil
    }
  }

  var roles: [String] { self == .developer ? ["user", "developer"] : ["user"] }

  /// The languages of further profiles, in the order of their creation.
  var languages: [String] {
    switch self {
    case .rightToLeft: ["ar", "he"]
    case .manyProfiles: BackendAppRoutes.languages.map(\.code).filter { $0 != Account.defaultLanguage }
    case .new, .longName, .developer, .deleting: []
    }
  }

  /// Adds the special data to a new account.
  func apply(_ transaction: any StorageTransaction, accountID: String, now: Timestamp) throws {
    if let displayName {
      try transaction.execute("UPDATE account SET display_name = ? WHERE account_id = ?", displayName, accountID)
    }
    for language in languages {
      let profile = try ProfileRows.create(transaction, accountID: accountID, languageCode: language, now: now)
      guard self == .rightToLeft, language == "ar" else { continue }
      try transaction.execute("UPDATE account SET active_profile_id = ? WHERE account_id = ?", profile.profileID, accountID)
    }
    if self == .deleting { _ = try AccountDeletion.schedule(transaction, accountID: accountID, now: now) }
  }
}
