import GRDB
import JSON
import RPC

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
    case .manyProfiles: AppRoutes.languages.map(\.code).filter { $0 != Account.defaultLanguage }
    case .new, .longName, .developer, .deleting: []
    }
  }

  /// Adds the special data to a new account.
  func apply(_ db: Database, accountID: String, now: Timestamp) throws {
    if let displayName {
      try db.execute(sql: "UPDATE account SET display_name = ? WHERE account_id = ?", arguments: [displayName, accountID])
    }
    for language in languages {
      let profile = try Profile.create(db, accountID: accountID, languageCode: language, now: now)
      guard self == .rightToLeft, language == "ar" else { continue }
      try db.execute(
        sql: "UPDATE account SET active_profile_id = ? WHERE account_id = ?", arguments: [profile.profileID, accountID])
    }
    if self == .deleting { _ = try AccountDeletion.schedule(db, accountID: accountID, now: now) }
  }
}
