import Domain
import JSON
import RPC

/// How a cue call is made where its maker, not the client, decides about keys and repetition.
struct CueCallOptions: Sendable {
  /// The session that the call must belong to: once it is over, nothing goes out.
  let epoch: UInt64
  /// The key of the edit that is sent, the same however often; nil for one of the call's own.
  var idempotencyKey: String?
  /// Whether the client repeats the call by itself after a passing failure.
  var isRetryable = true
  /// What the network log shows as the user action.
  var flow: Flow?
}

/// What the backend answered to a cue call that it understood.
enum CueReply<Body: Sendable>: Sendable {
  case done(Body)
  /// 409 `conflict`, with the backend's cue where it told it.
  case conflict(CueBody?)
}

extension APIClient {
  /// Makes a cue call under the session of the options; an answer that comes after the session's end is still told,
  /// as what it speaks of belongs to the user and not to the session.
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
