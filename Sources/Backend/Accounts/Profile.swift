import GRDB
import JSON
import RPC
import Vault

/// The profiles of an account: one for each language, each with a deck of cues.
enum Profile {
  /// Creates a profile and its deck.
  static func create(_ db: Database, accountID: String, languageCode: String, now: Timestamp) throws -> ProfileBody {
    let profile = ProfileBody(profileID: SecureRandom.uuid(), languageCode: languageCode, displayName: nil, createdAt: now)
    try db.cachedStatement(
      sql: "INSERT INTO profile (profile_id, account_id, language_code, created_at) VALUES (?, ?, ?, ?)"
    ).execute(arguments: [profile.profileID, accountID, languageCode, now.milliseconds])
    try Cue.seed(db, profileID: profile.profileID, languageCode: languageCode, now: now)
    return profile
  }

  static func find(_ db: Database, accountID: String, languageCode: String) throws -> ProfileBody? {
    try Row.fetchOne(
      db.cachedStatement(sql: "SELECT * FROM profile WHERE account_id = ? AND language_code = ?"),
      arguments: [accountID, languageCode]
    ).map(body)
  }

  /// Returns the profiles of an account, oldest first.
  static func all(_ db: Database, accountID: String) throws -> [ProfileBody] {
    try Row.fetchAll(
      db.cachedStatement(sql: "SELECT * FROM profile WHERE account_id = ? ORDER BY created_at, rowid"), arguments: [accountID]
    ).map(body)
  }

  /// Throws `profile_not_found` unless the profile belongs to the account.
  static func check(_ db: Database, profileID: String, accountID: String) throws {
    guard Cue.isID(profileID),
      try Bool.fetchOne(
        db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM profile WHERE profile_id = ? AND account_id = ?)"),
        arguments: [profileID, accountID]) ?? false
    else { throw BackendFailure.profileNotFound }
  }

  private static func body(_ row: Row) -> ProfileBody {
    ProfileBody(
      profileID: row["profile_id"], languageCode: row["language_code"], displayName: row["display_name"],
      createdAt: Timestamp(milliseconds: row["created_at"]))
  }
}
