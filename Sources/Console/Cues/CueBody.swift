import Client
import Domain
import JSON
import OpenAPI

/// The JSON of a cue as this device shows it.
struct ShownCueBody: Codable {
  /// The backend's version, if the user has to choose between it and the device's own; posting either stage chooses it.
  struct Conflict: Codable {
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

extension ShownCueBody: SchemaProvider {
  static let stages = Refinement.oneOf(CueStage.allCases.map(\.rawValue))

  static var schema: Schema {
    .recorded(from: Self.self).refined(["stage": stages, "position": .minimum(0), "conflict.stage": stages]).named("Cue")
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

  init(_ notice: CueNotice) {
    kind = notice.kind.rawValue
    cueID = notice.cueID
    cue = notice.cue.map { ShownCueBody($0) }
    reason = notice.reason
    unsent = notice.unsent
  }
}
