import JSON
import RPC
import Storage
import Vault

/// The profiles of an account: one for each language, each with a deck of cues.
enum ProfileRows {
  /// Creates a profile and its deck.
  static func create(_ transaction: any StorageTransaction, accountID: String, languageCode: String, now: Timestamp) throws
    -> ProfileBody
  {
    let profile = ProfileBody(profileID: SecureRandom.uuid(), languageCode: languageCode, displayName: nil, createdAt: now)
    try transaction.execute(
      "INSERT INTO profile (profile_id, account_id, language_code, created_at) VALUES (?, ?, ?, ?)", profile.profileID, accountID,
      languageCode, now.milliseconds)
    try CueRows.seed(transaction, profileID: profile.profileID, languageCode: languageCode, now: now)
    return profile
  }

  static func find(_ transaction: any StorageTransaction, accountID: String, languageCode: String) throws -> ProfileBody? {
    // Not every engine can look for a text with NUL.
    guard !languageCode.utf8.contains(0) else { return nil }
    return try transaction.first("SELECT * FROM profile WHERE account_id = ? AND language_code = ?", accountID, languageCode)
      .map(body)
  }

  /// The order of profiles that were created in the same instant, as those of seed users are.
  private static let languageOrder = BackendAppRoutes.languages.enumerated().map { "WHEN '\($1.code)' THEN \($0)" }
    .joined(separator: " ")

  /// Returns the profiles of an account, oldest first.
  static func all(_ transaction: any StorageTransaction, accountID: String) throws -> [ProfileBody] {
    try transaction.rows(
      "SELECT * FROM profile WHERE account_id = ? ORDER BY created_at, CASE language_code \(languageOrder) END", accountID
    ).map(body)
  }

  /// Throws `profile_not_found` unless the profile belongs to the account.
  static func check(_ transaction: any StorageTransaction, profileID: String, accountID: String) throws {
    guard CueRows.isID(profileID),
      try transaction.first(
        "SELECT 1 AS one FROM profile WHERE profile_id = ? AND account_id = ?", profileID, accountID) != nil
    else { throw BackendFailure.profileNotFound }
  }

  private static func body(_ row: StorageRow) throws(StorageError) -> ProfileBody {
    ProfileBody(
      profileID: try row.text("profile_id"), languageCode: try row.text("language_code"),
      displayName: try row.optionalText("display_name"), createdAt: Timestamp(milliseconds: try row.integer("created_at")))
  }
}
