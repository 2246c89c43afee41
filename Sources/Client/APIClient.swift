import Domain
import FoundationEssentials
import HTTPTypes
import JSON
package import RPC

/// The only way to the backend: typed calls in, typed answers or `NetworkError` out (seed 000 §2).
///
/// From outside to inside: request id, cache, auth, retry, 401 and refresh, then each attempt (`AttemptSender`).
///
/// Equal GETs under way at the same time are not joined into one. The seeds do not ask for it, the cache spares the later of them
/// where the backend allows it, and a joined call would have no row, deadline or cancellation of its own, which are what this
/// console is there to show. The one call that must be shared is the refresh (`SessionController`).
package struct APIClient: Sendable {
  let attemptSender: AttemptSender
  let session: SessionController
  let budget: SharedRetryBudget
  /// How many tokens of the retry budget are spent now.
  package var spentRetryTokens: Int { RetryBudget.capacity - budget.tokens }
  let cache: HTTPCache
  let time: Time
  /// A number in 0 ..< 1 for the jitter.
  let random: @Sendable () -> Double

  /// An answer with what it was asked under.
  struct DecodedResponse<Body: Sendable>: Sendable {
    let body: Body
    /// The session that the call belonged to; nil for a call without auth.
    let epoch: UInt64?
    let sentAt: ContinuousClock.Instant
    let sentWall: Date
    /// Where the body came from: one that the backend has just confirmed counts as its own.
    var source = ResponseSource.network
  }

  /// Makes a call and decodes its answer.
  package func send<E: APIEndpoint>(_ endpoint: E, body: E.RequestBody) async throws(NetworkError) -> E.ResponseBody {
    try await receive(endpoint, body: body).body
  }

  /// Makes a call without a body and decodes its answer.
  package func send<E: APIEndpoint>(_ endpoint: E) async throws(NetworkError) -> E.ResponseBody where E.RequestBody == NoBody {
    try await send(endpoint, body: NoBody())
  }

  /// Makes a call; a session that ended meanwhile makes its answer void.
  func receive<E: APIEndpoint>(_ endpoint: E, body: E.RequestBody) async throws(NetworkError) -> DecodedResponse<E.ResponseBody> {
    var call = try Call(endpoint, body: body, now: time.monotonic())
    if E.isCacheable, call.method == .get { return try await receive(E.self, &call) }
    var epoch: UInt64?
    let answer = try await perform(&call, requiresAuth: E.requiresAuth, epoch: &epoch)
    cache.invalidate(after: call, answer)
    if let epoch, await !session.isCurrent(epoch: epoch) { throw .sessionEnded }
    return DecodedResponse(
      body: try Self.decode(E.ResponseBody.self, from: answer), epoch: epoch, sentAt: answer.sentAt, sentWall: answer.sentWall)
  }

  /// Carries a call through auth, retry and 401 handling; `epoch` is set to the session it goes out under.
  func perform(_ call: inout Call, requiresAuth: Bool, epoch: inout UInt64?) async throws(NetworkError) -> AttemptResponse {
    var tries = 0
    var cost: Int?
    if epoch == nil, call.waitsForConnectivity, requiresAuth {
      // Whoever is signed in once the backend is back in reach may be somebody else.
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
        if answer.isSuccess || answer.response.status == call.acceptedStatus {
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
        // Nothing was sent, so it is no retry: it waits for its turn again.
        tries -= 1
        continue
      }
      guard failure.isTransient, call.isRetryable,
        let delay = RetryPlan.delay(
          afterAttempt: tries, retryAfterSeconds: failure.retryAfterSeconds, random: random(), now: now, deadline: call.deadline),
        let spent = budget.withdraw(after: failure.error)
      else { throw failure.error }
      cost = spent
      do { try await time.sleep(now + delay) } catch { throw .cancelled }
    }
  }

  /// One attempt under the session, and its replay after a refresh (the contract's 401 table); another 401 is thrown.
  private func authorized(_ call: inout Call, epoch: inout UInt64?) async throws(AttemptFailure) -> AttemptResponse {
    var parent: String?
    while true {
      let credential = try await credential(call, epoch: epoch)
      epoch = credential.stamp.epoch
      let answer = try await attemptSender.perform(&call, token: credential.accessToken, parent: parent)
      guard answer.response.status == 401 else { return answer }
      switch UnauthorizedRules.step(code: answer.backendCode, isReplay: call.unauthorizedRow != nil) {
      case .fail(let error): throw AttemptFailure(error)
      case .logout(let reason):
        await session.end(epoch: credential.stamp.epoch, reason: reason)
        throw AttemptFailure(.sessionEnded)
      case .refreshAndReplay:
        call.unauthorizedRow = answer.row
        parent = answer.row
        let cause = RefreshCause(flow: call.flow, parentRow: answer.row)
        do throws(NetworkError) {
          try await session.recover(
            credential.stamp, isKnownBad: UnauthorizedRules.rejectsAccessToken(code: answer.backendCode), deadline: call.deadline,
            cause: cause)
        } catch {
          throw AttemptFailure(error)
        }
      }
    }
  }

  private func credential(_ call: Call, epoch: UInt64?) async throws(AttemptFailure) -> Credential {
    do throws(NetworkError) {
      return try await session.credential(epoch: epoch, deadline: call.deadline, cause: RefreshCause(flow: call.flow))
    } catch {
      throw AttemptFailure(error)
    }
  }

  /// Decodes a successful answer; throws `unexpectedPayload` for one that is not as promised.
  static func decode<Body: Decodable>(_ type: Body.Type, from answer: AttemptResponse) throws(NetworkError) -> Body {
    if type == NoBody.self, let none = NoBody() as? Body { return none }
    guard let document = answer.document else { throw .unexpectedPayload }
    do throws(JSONError) {
      return try JSONCoding.decode(type, from: document)
    } catch {
      throw .unexpectedPayload
    }
  }
}
