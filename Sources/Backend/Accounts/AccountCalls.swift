import GRDB
import HTTPTypes
import JSON
import RPC
import Vault

/// The calls that change an account, each inside its transaction.
enum AccountCalls {
  /// `POST /rpc/get_or_create_account_profile`: 201 with a deck where there was none; the active profile stays.
  static func getOrCreateProfile(_ db: Database, _ call: Call, _ session: Session) throws -> Answer {
    let body = try request(call, session)
    guard AppCalls.languages.contains(where: { $0.code == body.languageCode }) else {
      throw BackendFailure.invalidRequest("The language_code is none of the supported languages.")
    }
    if let profile = try Profile.find(db, accountID: session.accountID, languageCode: body.languageCode) {
      return try .json(profile)
    }
    let profile = try Profile.make(db, accountID: session.accountID, languageCode: body.languageCode, now: call.now)
    var answer = try Answer.json(profile, status: .created)
    answer.events = [AuditEvent(kind: .profileCreated, accountID: session.accountID, sessionID: session.sessionID)]
    return answer
  }

  /// `POST /rpc/set_active_profile`.
  static func setActiveProfile(_ db: Database, _ call: Call, _ session: Session) throws -> Answer {
    let body = try request(call, session)
    guard let profile = try Profile.find(db, accountID: session.accountID, languageCode: body.languageCode) else {
      throw BackendFailure.profileNotFound
    }
    try db.execute(
      sql: "UPDATE account SET active_profile_id = ? WHERE account_id = ?", arguments: [profile.profileID, session.accountID])
    return try .json(profile)
  }

  /// `POST /rpc/request_account_deletion`: other devices are signed out; this session stays, so that a lost answer can be had again.
  static func requestDeletion(_ db: Database, _ call: Call, _ session: Session) throws -> Answer {
    guard let account = try Account.find(db, accountID: session.accountID) else { throw BackendFailure.invalidToken }
    if let scheduled = account.deletionScheduledFor {
      return try .json(DeletionReceipt(scheduledFor: scheduled), status: .accepted)
    }
    let scheduled = try AccountDeletion.schedule(db, accountID: account.accountID, now: call.now)
    try db.execute(
      sql: """
        UPDATE session SET ended_at = ?, end_reason = ? WHERE account_id = ? AND session_id <> ? AND ended_at IS NULL
        """,
      arguments: [call.now.milliseconds, SessionEnd.accountDeletion.rawValue, account.accountID, session.sessionID])
    var answer = try Answer.json(DeletionReceipt(scheduledFor: scheduled), status: .accepted)
    answer.events = [AuditEvent(kind: .deletionRequested, accountID: account.accountID, sessionID: session.sessionID)]
    return answer
  }

  /// `POST /app/api/logout`.
  static func logout(_ db: Database, _ call: Call, _ session: Session) throws -> Answer {
    try Session.end(db, sessionID: session.sessionID, reason: .loggedOut, now: call.now)
    var answer = Answer.noContent
    answer.events = [AuditEvent(kind: .loggedOut, accountID: session.accountID, sessionID: session.sessionID)]
    return answer
  }

  /// `POST /app/api/call/start`: nobody is called; the id is what a client goes on with.
  static func startCall(_ db: Database, _ call: Call, _ session: Session) throws -> Answer {
    let body = try call.decode(CallStartRequest.self)
    guard (1...320).contains(body.callee.unicodeScalars.count), !body.callee.hasControlCharacters else {
      throw BackendFailure.invalidRequest("The callee has 1 to 320 characters and no control characters.")
    }
    return try .json(CallStartReceipt(callID: SecureRandom.uuid()))
  }

  /// The body of a profile call; throws `not_found` for an account that is not the caller's.
  private static func request(_ call: Call, _ session: Session) throws -> ProfileRequest {
    let body = try call.decode(ProfileRequest.self)
    guard body.accountID == session.accountID else { throw BackendFailure.accountNotFound }
    return body
  }
}

extension String {
  /// Whether a C0 or C1 control character or a DEL is in it.
  var hasControlCharacters: Bool { unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) } }
}
