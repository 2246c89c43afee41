import GRDB
import HTTPTypes
import JSON
import RPC
import Vault

/// The account, its profiles and its deletion.
enum AccountRoutes {
  /// `POST /rpc/get_or_create_account_profile`: 201 if the profile was created, with a deck; the active profile does not change.
  static func getOrCreateProfile(_ db: Database, _ call: Call, _ session: Session) throws -> Answer {
    let body = try request(call, session)
    guard AppRoutes.languages.contains(where: { $0.code == body.languageCode }) else {
      throw BackendFailure.invalidRequest("The language_code is not a supported language.")
    }
    if let profile = try Profile.find(db, accountID: session.accountID, languageCode: body.languageCode) {
      return try .json(profile)
    }
    let profile = try Profile.create(db, accountID: session.accountID, languageCode: body.languageCode, now: call.now)
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

  /// `POST /rpc/request_account_deletion`: signs out all other devices; this session stays valid, so that the client can
  /// repeat the call if the answer was lost.
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

  /// `POST /app/api/call/start`: returns an id; there is nobody to call.
  static func startCall(_ db: Database, _ call: Call, _ session: Session) throws -> Answer {
    let body = try call.decode(CallStartRequest.self)
    guard (1...320).contains(body.callee.unicodeScalars.count), !body.callee.hasControlCharacters else {
      throw BackendFailure.invalidRequest("The callee must have 1 to 320 characters and no control characters.")
    }
    return try .json(CallStartReceipt(callID: SecureRandom.uuid()))
  }

  /// Decodes the body; throws `not_found` if the account is not the caller's.
  private static func request(_ call: Call, _ session: Session) throws -> ProfileRequest {
    let body = try call.decode(ProfileRequest.self)
    guard body.accountID == session.accountID else { throw BackendFailure.accountNotFound }
    return body
  }
}

extension String {
  /// Whether the string contains a C0 or C1 control character or DEL.
  var hasControlCharacters: Bool { unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) } }
}
