import HTTPTypes
import JSON
import OpenAPI
import RPC
import Storage

/// Listing and changing cues.
struct BackendCueRoutes: Sendable {
  let services: BackendServices

  var routes: [BackendRoute] {
    [
      BackendRoute(
        CueEndpoints.GetCues.self,
        RouteDescription(
          tag: .cues, summary: "Returns the cues of a profile in order, all or those changed since an instant.",
          success: [.ok: "The cues; the ETag ignores server_time."], failures: [.notFound],
          query: [
            .query("profile_id", nil, .id, isRequired: true), .query("updated_since", nil, .dateTime),
          ]),
        handler: getCues),
      BackendRoute(
        CueEndpoints.ShuffleCues.self,
        RouteDescription(
          tag: .cues, summary: "Puts the cues of a profile in a new random order.",
          success: [.ok: "The cues in their new order."], failures: [.notFound]),
        services: services, effect: Self.shuffle),
      BackendRoute(
        CueEndpoints.UpdateCueStage.self,
        RouteDescription(
          tag: .cues, summary: "Moves a cue to a stage, unless it was changed after base_updated_at.",
          success: [.ok: "The changed cue."], failures: [.notFound],
          request: .request(CueStageRequest.self).replacing(["stage": CueStage.schema, "base_updated_at": .dateTime])),
        services: services, effect: Self.updateStage),
    ]
  }

  /// `GET /rpc/get_cues`; the ETag ignores `server_time`, which differs in every response.
  private func getCues(_ call: BackendCall) async throws -> Answer {
    let session = try call.requiredSession()
    guard let profileID = try call.parameter("profile_id") else {
      throw BackendFailure.invalidRequest("The query parameter profile_id is missing.")
    }
    let since = try call.parameter("updated_since").map { text throws(BackendFailure) -> Timestamp in
      guard let since = Timestamp(parsing: text) else { throw .invalidRequest("updated_since is not a date.") }
      return since
    }
    let cues = try await services.storage.read { transaction in
      try ProfileRows.check(transaction, profileID: profileID, accountID: session.accountID)
      return try CueRows.list(transaction, profileID: profileID, since: since)
    }
    var answer = try Answer.json(CueListBody(cues: cues, serverTime: call.now), caching: .privateNoCache)
    answer.etagSource = try JSONCoding.encode(cues)
    return answer
  }

  /// `POST /rpc/shuffle_cues`.
  private static func shuffle(_ transaction: any StorageTransaction, _ call: BackendCall, _ session: Session) throws -> Answer {
    let body = try call.decode(ShuffleRequest.self)
    try ProfileRows.check(transaction, profileID: body.profileID, accountID: session.accountID)
    return try .json(
      ShuffledCuesBody(cues: try CueRows.shuffle(transaction, profileID: body.profileID, now: call.now, step: call.dateStep)))
  }

  /// `POST /rpc/update_cue_stage`.
  private static func updateStage(_ transaction: any StorageTransaction, _ call: BackendCall, _ session: Session) throws -> Answer
  {
    let body = try call.decode(CueStageRequest.self, hasDates: true)
    let cue = try CueRows.find(transaction, cueID: body.cueID, accountID: session.accountID)
    return try .json(
      try CueRows.move(transaction, cue, to: body.stage, base: body.baseUpdatedAt.instant, now: call.now, step: call.dateStep))
  }
}

extension CueBody: DescribedBody {
  static let schema = Schema.recorded(from: CueBody.self)
    .refined(["prompt": .minimumLength(1), "answer": .minimumLength(1), "position": .minimum(0)])
    .replacing(["cue_id": .id, "profile_id": .id, "stage": CueStage.schema]).named("Cue")
}

extension CueListBody: DescribedBody {
  static let schema = Schema.recorded(from: CueListBody.self).replacing(["cues": .array(CueBody.schema)]).named("CueList")
}

extension CueStage {
  static let schema = Schema.recorded(from: CueStage.self).named("Stage")
}

extension ShuffledCuesBody: DescribedBody {
  static let schema = Schema.recorded(from: ShuffledCuesBody.self).replacing(["cues": .array(CueBody.schema)])
}
