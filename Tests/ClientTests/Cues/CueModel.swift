import JSON
import RPC

/// The backend's rules for cues as a value: one response for each key, and no change based on an outdated timestamp.
struct CueModel {
  /// The response to a move.
  enum Answer: Hashable {
    case moved(CueBody)
    case conflict(CueBody)
    case gone
    case mismatch
  }

  /// A change of a stage by an idempotent call.
  struct Effect: Hashable {
    let key: String
    let cueID: String
    let stage: CueStage
  }

  var cues: [String: CueBody] = [:]
  /// Every change by an idempotent call, in order.
  private(set) var effects: [Effect] = []
  private var answers: [String: (body: CueStageRequest, answer: Answer)] = [:]
  private(set) var clock: Int64 = 1000

  /// Handles an idempotent move.
  mutating func answer(key: String, _ body: CueStageRequest) -> Answer {
    if let known = answers[key] { return known.body == body ? known.answer : .mismatch }
    let answer = effect(key, body)
    answers[key] = (body, answer)
    return answer
  }

  /// Moves a cue as another device does.
  mutating func moveElsewhere(_ cueID: String, to stage: CueStage) {
    guard let cue = cues[cueID] else { return }
    cues[cueID] = moved(cue, stage)
  }

  private mutating func effect(_ key: String, _ body: CueStageRequest) -> Answer {
    guard let cue = cues[body.cueID] else { return .gone }
    guard cue.updatedAt == body.baseUpdatedAt else { return .conflict(cue) }
    let result = moved(cue, body.stage)
    cues[cue.cueID] = result
    effects.append(Effect(key: key, cueID: cue.cueID, stage: body.stage))
    return .moved(result)
  }

  private mutating func moved(_ cue: CueBody, _ stage: CueStage) -> CueBody {
    clock += 1
    return CueBody(
      cueID: cue.cueID, profileID: cue.profileID, prompt: cue.prompt, answer: cue.answer, stage: stage, position: cue.position,
      updatedAt: ReceivedTimestamp(Timestamp(milliseconds: clock)))
  }
}
