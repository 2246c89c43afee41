import GRDB
import JSON
import RPC

/// Listing and changing cues.
struct CueRoutes: Sendable {
  let services: BackendServices

  /// `GET /rpc/get_cues`; the ETag ignores `server_time`, which differs in every answer.
  func getCues(_ call: Call) async throws -> Answer {
    let session = try call.requiredSession()
    guard let profileID = try call.parameter("profile_id") else {
      throw BackendFailure.invalidRequest("The query parameter profile_id is missing.")
    }
    let since = try call.parameter("updated_since").map { text throws(BackendFailure) -> Timestamp in
      guard let since = Timestamp(parsing: text) else { throw .invalidRequest("updated_since is not a date.") }
      return since
    }
    let cues = try await services.database.read { db in
      try Profile.check(db, profileID: profileID, accountID: session.accountID)
      return try Cue.list(db, profileID: profileID, since: since)
    }
    var answer = try Answer.json(CueListBody(cues: cues, serverTime: call.now), caching: .privateNoCache)
    answer.etagSource = try JSONCoding.encode(cues)
    return answer
  }

  /// `POST /rpc/shuffle_cues`.
  static func shuffle(_ db: Database, _ call: Call, _ session: Session) throws -> Answer {
    let body = try call.decode(ShuffleRequest.self)
    try Profile.check(db, profileID: body.profileID, accountID: session.accountID)
    return try .json(ShuffledCuesBody(cues: try Cue.shuffle(db, profileID: body.profileID, now: call.now)))
  }

  /// `POST /rpc/update_cue_stage`.
  static func updateStage(_ db: Database, _ call: Call, _ session: Session) throws -> Answer {
    let body = try call.decode(CueStageRequest.self)
    let cue = try Cue.find(db, cueID: body.cueID, accountID: session.accountID)
    return try .json(try Cue.move(db, cue, to: body.stage, base: body.baseUpdatedAt, now: call.now))
  }
}
