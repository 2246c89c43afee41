import GRDB
import JSON
import RPC

/// Identifiers whose accounts get a character at their first redemption, so that a page's hard cases are one sign-in away.
enum SeedUser: String, CaseIterable, Sendable {
  /// A first sign-in like any other's.
  case new = "new@example.com"
  /// A display name that fits nowhere, with a word that breaks nowhere.
  case longName = "long-name@example.com"
  /// A display name and an active profile that are read from right to left.
  case rightToLeft = "rtl@example.com"
  /// A profile in every language.
  case manyProfiles = "many-profiles@example.com"
  /// A role to whom developer tools are shown.
  case developer = "developer@example.com"
  /// A deletion that was asked for at the same instant.
  case deleting = "deleting@example.com"

  /// The name that the account shows; nil for none.
  var displayName: String? {
    switch self {
    case .longName:
      "A display name that is far longer than any heading, menu, chip or table cell was ever drawn for, with one word of "
        + String(repeating: "unbreakable", count: 8) + " length, an emoji 👩🏽‍🚀 and <b>no markup</b> & no entity"
    case .rightToLeft: "حساب تجريبي (تجربة 42)"
    case .new, .manyProfiles, .developer, .deleting: nil
    }
  }

  /// What the account may do.
  var roles: [String] { self == .developer ? ["user", "developer"] : ["user"] }

  /// The languages of further profiles, in the order in which they are made.
  var languages: [String] {
    switch self {
    case .rightToLeft: ["ar", "he"]
    case .manyProfiles: AppCalls.languages.map(\.code).filter { $0 != Account.defaultLanguage }
    case .new, .longName, .developer, .deleting: []
    }
  }

  /// Gives an account that was just made its character.
  func shape(_ db: Database, accountID: String, now: Timestamp) throws {
    if let displayName {
      try db.execute(sql: "UPDATE account SET display_name = ? WHERE account_id = ?", arguments: [displayName, accountID])
    }
    for language in languages {
      let profile = try Profile.make(db, accountID: accountID, languageCode: language, now: now)
      guard self == .rightToLeft, language == "ar" else { continue }
      try db.execute(
        sql: "UPDATE account SET active_profile_id = ? WHERE account_id = ?", arguments: [profile.profileID, accountID])
    }
    if self == .deleting { _ = try AccountDeletion.schedule(db, accountID: accountID, now: now) }
  }
}
