import Client
import Domain
import HTTPTypes
import JSON
import Server

/// The routes to a device's cues, which work with and without the backend in reach (contract §2.3).
enum CueRoutes {
  private struct ListBody: Encodable {
    let cues: [ShownCueBody]
    let source: String
    let syncedAt: Timestamp
  }

  private struct ShuffledBody: Encodable {
    let cues: [ShownCueBody]
  }

  private struct StageBody: Decodable {
    let stage: String
  }

  /// `GET /api/cues`: what is kept, at once; how the fetch behind it ends comes as a `cue` event.
  static func list(_ device: Device) async throws -> Response {
    let list = try await BrowseCues(gateway: .backend(device.cues))()
    return try .body(
      ListBody(cues: list.cues.map { ShownCueBody($0) }, source: list.source.rawValue, syncedAt: Timestamp(list.syncedAt)))
  }

  /// `POST /api/cues/shuffle`.
  static func shuffle(_ device: Device) async throws -> Response {
    let list = try await ShuffleCues(gateway: .backend(device.cues))()
    return try .body(ShuffledBody(cues: list.cues.map { ShownCueBody($0) }))
  }

  /// `POST /api/cues/{cue_id}/stage`: 200 once the backend has it, 202 where it is kept and goes out later.
  static func move(_ call: ConsoleCall, _ device: Device) async throws -> Response {
    let stage = try await call.body(StageBody.self).stage
    guard let cueID = call.request.parameters["cue_id"] else { throw Problem.notFound }
    switch try await UpdateCueStage(gateway: .backend(device.cues))(cueID: cueID, rawStage: stage) {
    case .reached(let cue): return try .body(ShownCueBody(cue))
    case .kept(let cue): return try .body(ShownCueBody(cue), status: .accepted)
    }
  }
}

/// The JSON of a cue as it shows on this device.
struct ShownCueBody: Encodable {
  /// The backend's version, where the user has to pick between it and the own one; posting either stage is the pick.
  struct Conflict: Encodable {
    let stage: String
    let updatedAt: Timestamp
  }

  let cueID: String
  let prompt: String
  let answer: String
  let stage: String
  let position: Int
  let updatedAt: Timestamp
  let pending: Bool
  let conflict: Conflict?

  /// Writes a cue.
  init(_ cue: Cue) {
    cueID = cue.cueID
    prompt = cue.prompt
    answer = cue.answer
    stage = cue.stage.rawValue
    position = cue.position
    updatedAt = Timestamp(cue.updatedAt)
    pending = cue.isPending
    conflict = cue.conflict.map { Conflict(stage: $0.stage.rawValue, updatedAt: Timestamp($0.updatedAt)) }
  }
}

/// The JSON of the `cue` event.
struct CueEventBody: Encodable {
  let kind: String
  let cueID: String?
  let cue: ShownCueBody?
  let reason: String?
  /// How many edits have not reached the backend.
  let unsent: Int

  /// Writes a notice.
  init(_ notice: CueNotice) {
    kind = notice.kind.rawValue
    cueID = notice.cueID
    cue = notice.cue.map { ShownCueBody($0) }
    reason = notice.reason
    unsent = notice.unsent
  }
}
