import Domain
import JSON
import RPC

/// Options of a cue call whose caller decides about idempotency keys and retries.
struct CueCallOptions: Sendable {
  /// The session that the call must belong to; nothing is sent once it is over.
  let epoch: UInt64
  /// The edit's idempotency key, the same for every send; nil to generate one.
  var idempotencyKey: String?
  /// Whether the client retries the call after a transient failure.
  var isRetryable = true
  /// The flow that the network log shows.
  var flow: Flow?
}

/// The backend's response to a valid cue call.
enum CueReply<Body: Sendable>: Sendable {
  case done(Body)
  /// A conflict, with the backend's version if it sent one.
  case conflict(CueBody?)
}

extension APIClient {
  /// Makes a cue call under the session of the options. Returns a response that arrives after the session's end too, because the
  /// cues belong to the user and not to the session.
  func reply<E: APIEndpoint>(
    _ endpoint: E, body: E.RequestBody, options: CueCallOptions
  ) async throws(NetworkError) -> CueReply<E.ResponseBody> {
    var call = try Call(endpoint, body: body, now: time.monotonic(), flow: options.flow)
    if let key = options.idempotencyKey { call.idempotencyKey = key }
    call.isRetryable = call.isRetryable && options.isRetryable
    call.returnsConflict = true
    var epoch: UInt64? = options.epoch
    let answer = try await perform(&call, requiresAuth: E.requiresAuth, epoch: &epoch)
    cache.invalidate(after: call, answer)
    if answer.isSuccess { return .done(try Self.decode(E.ResponseBody.self, from: answer)) }
    guard answer.backendCode == BackendErrorCode.conflict else {
      throw AttemptFailure(answer, wall: attemptSender.clock.ownSeconds).error
    }
    return .conflict(answer.document.flatMap(Self.conflictingCue))
  }

  /// The backend's version of the cue, in any of its error formats: as `cue`, or as the details themselves; nil if it is missing
  /// or unreadable.
  private static func conflictingCue(in document: JSONDocument) -> CueBody? {
    let root = document.root
    let details = [root["error"]?["details"], root["details"]]
    let places = (details + [root["error"], root]).map { $0?["cue"] } + details
    for case let node? in places {
      guard let found = try? JSONDocument(parsing: Array(node.sourceText.utf8)) else { continue }
      let notes = JSONReadNotes()
      guard let cue = try? JSONCoding.decodeTolerantly(CueBody.self, from: found, notes: notes) else { continue }
      // A default must not replace the backend's value of a field in conflict.
      let needed = [CueBody.CodingKeys.stage.rawValue, CueBody.CodingKeys.updatedAt.rawValue]
      return notes.all.contains { $0.effect == .defaulted && needed.contains($0.path) } ? nil : cue
    }
    return nil
  }
}
