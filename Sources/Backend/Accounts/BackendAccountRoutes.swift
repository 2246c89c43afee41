import HTTPTypes
import JSON
import OpenAPI
import RPC
import Storage

/// The account, its profiles and its deletion.
struct BackendAccountRoutes: Sendable {
  let services: BackendServices

  var routes: [BackendRoute] {
    [
      BackendRoute(
        AccountEndpoints.Me.self,
        RouteDescription(
          tag: .account, summary: "Returns the account that is signed in.", success: [.ok: "The account."]),
        handler: me),
      BackendRoute(
        AccountEndpoints.GetOrCreateProfile.self,
        RouteDescription(
          tag: .account, summary: "Returns the profile of a language; creates it with its deck if there is none.",
          success: [.ok: "The profile existed.", .created: "The profile was created."], failures: [.notFound],
          request: .request(ProfileRequest.self).replacing(["language_code": .languageCode])),
        services: services, effect: Self.getOrCreateProfile),
      BackendRoute(
        AccountEndpoints.SetActiveProfile.self,
        RouteDescription(
          tag: .account, summary: "Makes the profile of a language the active one.", success: [.ok: "The active profile."],
          failures: [.notFound]),
        services: services, effect: Self.setActiveProfile),
      BackendRoute(
        AccountEndpoints.RequestDeletion.self,
        RouteDescription(
          tag: .account, summary: "Schedules the deletion of the account in 14 days; a second call changes nothing.",
          success: [.accepted: "The deletion is scheduled."]),
        services: services, effect: Self.requestDeletion),
    ]
  }

  /// `GET /rpc/me`.
  private func me(_ call: BackendCall) async throws -> Answer {
    let session = try call.requiredSession()
    let body = try await services.storage.read { transaction in
      try Account.find(transaction, accountID: session.accountID)?.body(transaction)
    }
    guard let body else { throw BackendFailure.invalidToken }
    return try .json(body, caching: .privateNoCache)
  }

  /// `POST /rpc/get_or_create_account_profile`: 201 if the profile was created, with a deck; the active profile does not change.
  private static func getOrCreateProfile(_ transaction: any StorageTransaction, _ call: BackendCall, _ session: Session) throws
    -> Answer
  {
    let body = try request(call, session)
    guard BackendAppRoutes.languages.contains(where: { $0.code == body.languageCode }) else {
      throw BackendFailure.invalidRequest("The language_code is not a supported language.")
    }
    if let profile = try ProfileRows.find(transaction, accountID: session.accountID, languageCode: body.languageCode) {
      return try .json(profile)
    }
    let profile = try ProfileRows.create(
      transaction, accountID: session.accountID, languageCode: body.languageCode, now: call.now)
    var answer = try Answer.json(profile, status: .created)
    answer.events = [AuditEvent(kind: .profileCreated, accountID: session.accountID, sessionID: session.sessionID)]
    return answer
  }

  /// `POST /rpc/set_active_profile`.
  private static func setActiveProfile(_ transaction: any StorageTransaction, _ call: BackendCall, _ session: Session) throws
    -> Answer
  {
    let body = try request(call, session)
    guard let profile = try ProfileRows.find(transaction, accountID: session.accountID, languageCode: body.languageCode) else {
      throw BackendFailure.profileNotFound
    }
    try transaction.execute("UPDATE account SET active_profile_id = ? WHERE account_id = ?", profile.profileID, session.accountID)
    return try .json(profile)
  }

  /// `POST /rpc/request_account_deletion`: signs out all other devices; this session stays valid, so that the client can repeat
  /// the call if the response was lost.
  private static func requestDeletion(_ transaction: any StorageTransaction, _ call: BackendCall, _ session: Session) throws
    -> Answer
  {
    guard let account = try Account.find(transaction, accountID: session.accountID) else { throw BackendFailure.invalidToken }
    if let scheduled = account.deletionScheduledFor {
      return try .json(DeletionReceipt(scheduledFor: scheduled), status: .accepted)
    }
    let scheduled = try AccountDeletion.schedule(transaction, accountID: account.accountID, now: call.now)
    try transaction.execute(
      """
      UPDATE session SET ended_at = ?, end_reason = ? WHERE account_id = ? AND session_id <> ? AND ended_at IS NULL
      """, call.now.milliseconds, SessionEnd.accountDeletion.rawValue, account.accountID, session.sessionID)
    var answer = try Answer.json(DeletionReceipt(scheduledFor: scheduled), status: .accepted)
    answer.events = [AuditEvent(kind: .deletionRequested, accountID: account.accountID, sessionID: session.sessionID)]
    return answer
  }

  /// Decodes the body; throws `not_found` if the account is not the caller's.
  private static func request(_ call: BackendCall, _ session: Session) throws -> ProfileRequest {
    let body = try call.decode(ProfileRequest.self)
    guard body.accountID == session.accountID else { throw BackendFailure.accountNotFound }
    return body
  }
}

extension MeBody: DescribedBody {
  // Other backends may report the analytics choice; this one does not.
  static let schema = Schema.recorded(from: MeBody.self)
    .selecting([
      "user_id", "account_id", "email", "phone", "display_name", "roles", "active_profile_id", "profiles", "created_at",
      "deletion_scheduled_for",
    ])
    .refined(["phone": .pattern("^[+][1-9][0-9]{6,14}$")])
    .replacing([
      "user_id": .id, "account_id": .id, "active_profile_id": .id, "profiles": .array(ProfileBody.schema),
    ])
    .requiring(["roles", "profiles", "created_at"]).named("Me")
}

extension ProfileBody: DescribedBody {
  static let schema = Schema.recorded(from: ProfileBody.self).replacing(["profile_id": .id, "language_code": .languageCode])
    .requiring(["created_at"]).named("Profile")
}

extension DeletionReceipt: DescribedBody {
  static let schema = Schema.recorded(from: DeletionReceipt.self).refined(["status": .constant("scheduled")])
    .requiring(["scheduled_for"])
}
