import GRDB
import JSON
import RPC
import Vault

/// A row of the table `account`.
struct Account: Sendable {
  /// The language of the first profile of every account.
  static let defaultLanguage = "en"

  let accountID: String
  /// A UUID that differs from `accountID`.
  let userID: String
  let identifier: LoginIdentifier
  let displayName: String?
  let activeProfileID: String?
  let createdAt: Timestamp
  /// When the account will be deleted; nil unless requested.
  let deletionScheduledFor: Timestamp?

  static func exists(_ db: Database, identifier: LoginIdentifier) throws -> Bool {
    try Bool.fetchOne(
      db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM account WHERE identifier = ?)"), arguments: [identifier.text])
      ?? false
  }

  static func find(_ db: Database, identifier: LoginIdentifier) throws -> Account? {
    try Row.fetchOne(db.cachedStatement(sql: "SELECT * FROM account WHERE identifier = ?"), arguments: [identifier.text]).flatMap(
      Account.init)
  }

  static func find(_ db: Database, accountID: String) throws -> Account? {
    try Row.fetchOne(db.cachedStatement(sql: "SELECT * FROM account WHERE account_id = ?"), arguments: [accountID]).flatMap(
      Account.init)
  }

  /// Creates an account with a profile and deck in the default language; seed users also get their special data.
  static func create(_ db: Database, identifier: LoginIdentifier, now: Timestamp) throws -> Account {
    let account = Account(
      accountID: SecureRandom.uuid(), userID: SecureRandom.uuid(), identifier: identifier, displayName: nil,
      activeProfileID: nil, createdAt: now, deletionScheduledFor: nil)
    try db.cachedStatement(
      sql: """
        INSERT INTO account (account_id, user_id, identifier, identifier_kind, created_at) VALUES (?, ?, ?, ?, ?)
        """
    ).execute(arguments: [
      account.accountID, account.userID, identifier.text, identifier.kind.rawValue, now.milliseconds,
    ])
    let profile = try Profile.create(db, accountID: account.accountID, languageCode: defaultLanguage, now: now)
    try db.cachedStatement(
      sql: "UPDATE account SET active_profile_id = ? WHERE account_id = ?"
    ).execute(arguments: [profile.profileID, account.accountID])
    try SeedUser(rawValue: identifier.text)?.apply(db, accountID: account.accountID, now: now)
    return try find(db, accountID: account.accountID) ?? account
  }

  /// Returns the profiles of the account, oldest first.
  func profiles(_ db: Database) throws -> [ProfileBody] { try Profile.all(db, accountID: accountID) }

  func activeProfile(_ db: Database) throws -> ProfileBody? { try profiles(db).first { $0.profileID == activeProfileID } }

  /// Returns the answer of `GET /rpc/me`.
  func body(_ db: Database) throws -> MeBody {
    MeBody(
      userID: userID, accountID: accountID, email: identifier.kind == .email ? identifier.text : nil,
      phone: identifier.kind == .phone ? identifier.text : nil, displayName: displayName,
      roles: SeedUser(rawValue: identifier.text)?.roles ?? ["user"],
      activeProfileID: activeProfileID, profiles: try profiles(db), createdAt: createdAt,
      deletionScheduledFor: deletionScheduledFor)
  }

  private init(
    accountID: String, userID: String, identifier: LoginIdentifier, displayName: String?, activeProfileID: String?,
    createdAt: Timestamp, deletionScheduledFor: Timestamp?
  ) {
    self.accountID = accountID
    self.userID = userID
    self.identifier = identifier
    self.displayName = displayName
    self.activeProfileID = activeProfileID
    self.createdAt = createdAt
    self.deletionScheduledFor = deletionScheduledFor
  }

  private init?(_ row: Row) {
    guard let identifier = LoginIdentifier(row["identifier"] as String) else { return nil }
    let deletion: Int64? = row["deletion_scheduled_for"]
    self.init(
      accountID: row["account_id"], userID: row["user_id"], identifier: identifier, displayName: row["display_name"],
      activeProfileID: row["active_profile_id"], createdAt: Timestamp(milliseconds: row["created_at"]),
      deletionScheduledFor: deletion.map { Timestamp(milliseconds: $0) })
  }
}
