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
  /// 409 `conflict`, with the backend's version if it sent one.
  case conflict(CueBody?)
}

extension APIClient {
  /// Makes a cue call under the session of the options. A response that arrives after the session's end is still returned,
  /// since the cues belong to the user and not to the session.
  func reply<E: APIEndpoint>(
    _ endpoint: E, body: E.RequestBody, options: CueCallOptions
  ) async throws(NetworkError) -> CueReply<E.ResponseBody> {
    var call = try Call(endpoint, body: body, now: time.monotonic(), flow: options.flow)
    if let key = options.idempotencyKey { call.idempotencyKey = key }
    call.isRetryable = call.isRetryable && options.isRetryable
    call.acceptedStatus = 409
    var epoch: UInt64? = options.epoch
    let answer = try await perform(&call, requiresAuth: E.requiresAuth, epoch: &epoch)
    cache.invalidate(after: call, answer)
    if answer.isSuccess { return .done(try Self.decode(E.ResponseBody.self, from: answer)) }
    guard answer.backendCode == BackendErrorCode.conflict else {
      throw NetworkError(status: answer.response.status, code: answer.backendCode, retryAfterSeconds: nil)
    }
    let body = try? JSONCoding.decode(BackendErrorBody.self, from: answer.response.body)
    return .conflict(body?.error.details?.cue)
  }
}
