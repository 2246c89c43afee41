import JSON
import RPC
import Storage
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

  static func find(_ transaction: any StorageTransaction, identifier: LoginIdentifier) throws -> Account? {
    try transaction.first("SELECT * FROM account WHERE identifier = ?", identifier.text).flatMap(
      Account.init)
  }

  static func find(_ transaction: any StorageTransaction, accountID: String) throws -> Account? {
    try transaction.first("SELECT * FROM account WHERE account_id = ?", accountID).flatMap(
      Account.init)
  }

  /// Creates an account with a profile and deck in the default language; seed users also get their special data.
  static func create(_ transaction: any StorageTransaction, identifier: LoginIdentifier, now: Timestamp) throws -> Account {
    let account = Account(
      accountID: SecureRandom.uuid(), userID: SecureRandom.uuid(), identifier: identifier, displayName: nil,
      activeProfileID: nil, createdAt: now, deletionScheduledFor: nil)
    try transaction.execute(
      """
      INSERT INTO account (account_id, user_id, identifier, identifier_kind, created_at) VALUES (?, ?, ?, ?, ?)
      """, account.accountID, account.userID, identifier.text, identifier.kind.rawValue, now.milliseconds)
    let profile = try ProfileRows.create(transaction, accountID: account.accountID, languageCode: defaultLanguage, now: now)
    try transaction.execute("UPDATE account SET active_profile_id = ? WHERE account_id = ?", profile.profileID, account.accountID)
    try SeedUser(rawValue: identifier.text)?.apply(transaction, accountID: account.accountID, now: now)
    return try find(transaction, accountID: account.accountID) ?? account
  }

  /// Returns the profiles of the account, oldest first.
  private func profiles(_ transaction: any StorageTransaction) throws -> [ProfileBody] {
    try ProfileRows.all(transaction, accountID: accountID)
  }

  func activeProfile(_ transaction: any StorageTransaction) throws -> ProfileBody? {
    try profiles(transaction).first { $0.profileID == activeProfileID }
  }

  /// Returns the response of `GET /rpc/me`.
  func body(_ transaction: any StorageTransaction) throws -> MeBody {
    MeBody(
      userID: userID, accountID: accountID, email: identifier.kind == .email ? identifier.text : nil,
      phone: identifier.kind == .phone ? identifier.text : nil, displayName: displayName,
      roles: SeedUser(rawValue: identifier.text)?.roles ?? ["user"],
      activeProfileID: activeProfileID, profiles: try profiles(transaction), createdAt: createdAt,
      deletionScheduledFor: deletionScheduledFor)
  }
}

extension Account {
  private init?(_ row: StorageRow) throws(StorageError) {
    guard let identifier = LoginIdentifier(try row.text("identifier")) else { return nil }
    self.init(
      accountID: try row.text("account_id"), userID: try row.text("user_id"), identifier: identifier,
      displayName: try row.optionalText("display_name"), activeProfileID: try row.optionalText("active_profile_id"),
      createdAt: Timestamp(milliseconds: try row.integer("created_at")),
      deletionScheduledFor: try row.optionalInteger("deletion_scheduled_for").map { Timestamp(milliseconds: $0) })
  }
}
