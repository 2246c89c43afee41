import BackendFile
import Domain
import FoundationEssentials
import HTTPTypes
import JSON
package import RPC

/// Sends typed calls to the backend and returns typed responses or a `NetworkError` (seed-rules N-14 "one client").
///
/// A call passes through these steps: request id, cache, authentication, retry, 401 handling and refresh, then each attempt
/// (`AttemptSender`).
///
/// Equal GETs that run at the same time are not merged: each call keeps its own row, deadline and cancellation, so that the
/// console shows them. The cache serves the later ones if the backend allows it. Only the refresh is shared
/// (`SessionController`).
package struct APIClient: Sendable {
  let attemptSender: AttemptSender
  let session: SessionController
  let budget: SharedRetryBudget
  /// The tokens of the retry budget that are spent now.
  package var spentRetryTokens: Int { RetryBudget.capacity - budget.tokens }
  let cache: HTTPCache
  let time: Time
  /// The pauses between the attempts of a call.
  let backoff: Backoff
  /// A number in 0 ..< 1 for the jitter.
  let random: @Sendable () -> Double
  package let features: BackendFeatures

  /// A decoded response and the context of its request.
  struct DecodedResponse<Body: Sendable>: Sendable {
    let body: Body
    /// The session that the call belonged to; nil for a call without authentication.
    let epoch: UInt64?
    let sentAt: ContinuousClock.Instant
    let sentWall: Date
    /// The values and account that the session keeps from a sign-in by a backend file.
    var session: CapturedSession?
    /// The backend's clock at the response; nil if the response has no date.
    var answeredAt: Timestamp?
    /// Where the body came from; a cached body that the backend has just confirmed counts as `network`.
    var source = ResponseSource.network
    /// When the backend sent or confirmed a cached body; nil if it was not from the cache.
    var storedAt: Date?
  }

  /// Makes a call and decodes its response.
  package func send<E: APIEndpoint>(_ endpoint: E, body: E.RequestBody) async throws(NetworkError) -> E.ResponseBody {
    try await receive(endpoint, body: body).body
  }

  /// Makes a call without a body and decodes its response.
  package func send<E: APIEndpoint>(_ endpoint: E) async throws(NetworkError) -> E.ResponseBody where E.RequestBody == NoBody {
    try await send(endpoint, body: NoBody())
  }

  /// Makes a call; throws `sessionEnded` if its session ended in the meantime.
  ///
  /// `further` has values for a backend file in addition to those of the body, by their names in the file.
  func receive<E: APIEndpoint>(
    _ endpoint: E, body: E.RequestBody, further: [String: String] = [:]
  ) async throws(NetworkError) -> DecodedResponse<E.ResponseBody> {
    var call = try Call(endpoint, body: body, now: time.monotonic())
    call.further = further
    // The backend file converts the response, so the cache would store another body.
    if attemptSender.configuration.backendFile != nil {
      // The cue store keeps the cues.
      if E.self == AccountEndpoints.Me.self { return try await receiveKept(E.self, &call) }
    } else if E.isCacheable, call.method == .get {
      return try await receive(E.self, &call)
    }
    return try await receiveUncached(E.self, &call)
  }

  /// Makes a call that bypasses the cache.
  func receiveUncached<E: APIEndpoint>(
    _ endpoint: E.Type, _ call: inout Call
  ) async throws(NetworkError) -> DecodedResponse<E.ResponseBody> {
    var epoch: UInt64?
    let answer = try await perform(&call, requiresAuth: E.requiresAuth, epoch: &epoch)
    cache.invalidate(after: call, answer)
    if let epoch, await !session.isCurrent(epoch: epoch) { throw .sessionEnded }
    return DecodedResponse(
      body: try Self.decode(E.ResponseBody.self, from: answer), epoch: epoch, sentAt: answer.sentAt, sentWall: answer.sentWall,
      session: answer.session, answeredAt: answer.answeredAt)
  }

  /// Runs a call with authentication, retries and 401 handling; sets `epoch` to the session of its first attempt.
  func perform(_ call: inout Call, requiresAuth: Bool, epoch: inout UInt64?) async throws(NetworkError) -> AttemptResponse {
    var tries = 0
    var cost: Int?
    if epoch == nil, call.waitsForConnectivity, requiresAuth {
      // Another user may have signed in by the time the backend is reachable again.
      guard let current = await session.epochIfSignedIn else { throw .unauthorized }
      epoch = current
    }
    while true {
      tries += 1
      let failure: AttemptFailure
      do throws(AttemptFailure) {
        try await attemptSender.awaitConnectivity(&call)
        let answer =
          requiresAuth
          ? try await authorized(&call, epoch: &epoch) : try await attemptSender.perform(&call, token: nil, parent: nil)
        if answer.isSuccess || call.returnsConflict && answer.isConflict {
          budget.refund(cost)
          return answer
        }
        failure = AttemptFailure(answer, wall: attemptSender.clock.ownSeconds)
      } catch {
        failure = error
      }
      attemptSender.endWaiting(&call, error: failure.error)
      let now = time.monotonic()
      if call.waitsForConnectivity, failure.error == .offline, attemptSender.connectivity.hasRecentFailure, now < call.deadline {
        // Nothing was sent, so this is not a retry: the call waits again.
        tries -= 1
        continue
      }
      guard failure.isTransient, call.isRetryable, call.isSafe || call.sendsKey && features.current.idempotencyKeys,
        let delay = RetryPlan.delay(
          afterAttempt: tries, retryAfterSeconds: failure.retryAfterSeconds, backoff: backoff, random: random(), now: now,
          deadline: call.deadline),
        let spent = budget.withdraw(after: failure.error)
      else { throw failure.error }
      cost = spent
      do { try await time.sleep(now + delay) } catch { throw .cancelled }
      // The token may have expired in the meantime.
      call.hasRefreshed = false
    }
  }

  /// Sends one attempt with the session's token and replays it once after a refresh (seed-rules C-17 to C-22 "(401)"), and once
  /// more with each token that replaced a rejected one meanwhile; throws on any other 401.
  private func authorized(_ call: inout Call, epoch: inout UInt64?) async throws(AttemptFailure) -> AttemptResponse {
    var parent: String?
    while true {
      let credential = try await credential(&call, epoch: epoch)
      epoch = credential.stamp.epoch
      if attemptSender.configuration.backendFile != nil {
        call.sessionValues = credential.captured?.values ?? [:]
        call.sessionValues[FlowValue.refreshToken.rawValue] = credential.refreshToken
        call.sessionValues[FlowValue.accessToken.rawValue] = credential.accessToken
      }
      let answer = try await attemptSender.perform(&call, token: credential.accessToken, parent: parent)
      if credential.isDoubtful, answer.isSuccess { await session.noteAccepted(credential) }
      if let captured = answer.reading?.captured.values, let file = attemptSender.configuration.backendFile?.content {
        let used = captured.filter { file.usedValues.contains($0.key) }
        if !used.isEmpty { await session.note(used, epoch: credential.stamp.epoch) }
      }
      // Without a refresh, the first rejection of a token is final.
      let isReplay = call.unauthorizedRow != nil || !attemptSender.configuration.canRefresh
      guard let step = answer.sessionStep(isReplay: isReplay) else { return answer }
      switch step {
      case .fail(let error): throw AttemptFailure(error)
      case .logout(let reason):
        if await session.end(credential.stamp, reason: reason) { throw AttemptFailure(.sessionEnded) }
        // The token was replaced while the replay was under way, so the rejection does not concern its successor.
        parent = answer.row
      case .refreshAndReplay:
        parent = answer.row
        let cause = RefreshCause(flow: call.flow, parentRow: answer.row)
        do throws(NetworkError) {
          try await session.recover(
            credential.stamp, isKnownBad: answer.rejectsAccessToken, deadline: call.deadline,
            cause: cause)
        } catch {
          throw AttemptFailure(error)
        }
        // Only a successful refresh makes the next attempt the replay.
        call.unauthorizedRow = answer.row
        call.hasRefreshed = true
      }
    }
  }

  private func credential(_ call: inout Call, epoch: UInt64?) async throws(AttemptFailure) -> SessionCredential {
    do throws(NetworkError) {
      let credential = try await session.credential(
        epoch: epoch, deadline: call.deadline, cause: RefreshCause(flow: call.flow), refreshesAhead: !call.hasRefreshed)
      if credential.isFresh { call.hasRefreshed = true }
      return credential
    } catch {
      throw AttemptFailure(error)
    }
  }

  /// Decodes a successful response; throws `unexpectedPayload` if it does not match the endpoint's type.
  static func decode<Body: Decodable>(_ type: Body.Type, from answer: AttemptResponse) throws(NetworkError) -> Body {
    if answer.contract == nil, answer.response.body.isEmpty, type is any DispensableBody.Type,
      let empty = try? JSONDocument(parsing: Array("{}".utf8)),
      let body = try? answer.decodeBody(type, from: empty)
    {
      return body
    }
    if type == NoBody.self, let none = NoBody() as? Body { return none }
    switch answer.body {
    case .success(let body as Body): return body
    case .failure(let error): throw error
    default: break
    }
    guard let document = answer.contract ?? answer.document else {
      throw .unexpectedPayload(answer.unread)
    }
    do throws(JSONError) {
      return try answer.decodeBody(type, from: document)
    } catch {
      throw .unexpectedPayload(PayloadMismatch(error))
    }
  }
}
