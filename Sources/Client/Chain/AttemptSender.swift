import Domain
import FoundationEssentials
import HTTPTypes
import Logging
import Observability
import RPC
import Redaction

/// The innermost step of the chain, once for each attempt: apply fault rules, add the token, sign, record and send.
///
/// Every call passes through it, including the refresh call, which uses no other step of the chain.
struct AttemptSender: Sendable {
  let configuration: ClientConfiguration
  let transport: Transport
  let recorder: AttemptRecorder
  let secrets: SecretRegistry
  let clock: ServerClock
  let signer: RequestSigner?
  let connectivity: ConnectivityMonitor
  let faults: FaultInjector
  /// The values that the calls of a sign-in have captured so far.
  let signIn: SignInValues
  let loggers: ClientLoggers
  let time: Time

  /// Sends one attempt; if the backend rejects the signature, corrects the clock and sends once more.
  ///
  /// `parent` is the row that caused this attempt. Throws the transport's failure or `signatureRejected`.
  func perform(_ call: inout Call, token: String?, parent: String?) async throws(AttemptFailure) -> AttemptResponse {
    if let file = configuration.backendFile?.content {
      if call.source == .network { return try await perform(&call, by: file, token: token, parent: parent) }
      try addFields(of: file, to: &call, token: token)
    }
    var none: FileExchange?
    let answer = try await attempt(&call, token: token, parent: parent, exchange: &none)
    guard answer.rejectsSignature else { return answer }
    guard signer != nil, !call.hasCorrectedClock,
      clock.correct(byDate: answer.response.headers[.date], skew: answer.skewSeconds)
    else {
      throw AttemptFailure(.signatureRejected)
    }
    call.hasCorrectedClock = true
    let second = try await attempt(&call, token: token, parent: answer.row, exchange: &none)
    guard second.rejectsSignature else { return second }
    throw AttemptFailure(.signatureRejected)
  }

  func attempt(
    _ call: inout Call, token: String?, parent: String?, exchange: inout FileExchange?
  ) async throws(AttemptFailure) -> AttemptResponse {
    guard !Task.isCancelled else { throw AttemptFailure(.cancelled) }
    guard time.monotonic() < call.deadline else { throw AttemptFailure(.timeout) }
    let fault = faults.decide(call, isAuthorized: token != nil)
    // A rule that changes the body needs one: a 304 has none.
    if fault?.changesBody == true { call.conditions = [:] }
    let skew = fault?.skewSeconds ?? 0
    let request = request(for: call, token: token, skew: skew)
    let sentAt = time.monotonic()
    let sentWall = time.wall()
    let row: String
    if let waiting = call.waitingRow {
      call.waitingRow = nil
      row = waiting
      recorder.resume(row, call, request: request)
    } else {
      if exchange?.isFirst != false { call.attempts += 1 }
      row = recorder.begin(call, request: request, parent: parent, at: sentWall)
    }
    let isElsewhere = call.wire?.origin != nil
    guard fault?.isSynthetic == true || call.waitsForConnectivity || isElsewhere || connectivity.admits() else {
      recorder.finishUnsent(row, call, request: request, error: .offline)
      throw AttemptFailure(.offline)
    }
    if let fault {
      do throws(TransportError) { try await pause(fault.latency, request) } catch {
        throw failed(row, &call, request, error, after: time.monotonic() - sentAt, fault)
      }
    }
    if fault?.isSynthetic != true, let refusal = await call.admission?() {
      recorder.finishUnsent(row, call, request: request, error: refusal)
      throw AttemptFailure(refusal)
    }
    do throws(TransportError) {
      let response = try await send(request, under: fault)
      // A 4xx response shows that the backend did not carry out the call.
      if !(400...499).contains(response.status) { call.mayHaveReachedBackend = true }
      // Another host does not show the backend's reachability.
      if !isElsewhere { note(.reached) }
      let elapsed = time.monotonic() - sentAt
      var answer = AttemptResponse(
        response: response, row: row, sentAt: sentAt, sentWall: sentWall.addingTimeInterval(TimeInterval(skew)),
        isConditional: !call.conditions.isEmpty, skewSeconds: skew, isOfFault: fault?.attribution?.source == .fault)
      // A backend file's responses may lack fields of the contract's.
      if exchange == nil {
        answer.noteFields = { [notes = loggers.fields, endpoint = call.endpoint] in notes.record($0, endpoint: endpoint) }
      }
      if let document = answer.document { secrets.learn(fromAnswer: document) }
      if exchange == nil { learn(from: answer, to: call) }
      // A fault rule's own response is in the contract's form.
      if exchange != nil, fault?.isContract != true {
        read(&answer, by: &exchange, reader: call.reader)
      } else if answer.isSuccess, !answer.isNotModified, let reader = call.reader {
        answer.decode(with: reader)
      }
      recorder.finish(row, call, request: request, answer: answer, after: elapsed, fault: fault?.attribution)
      return answer
    } catch {
      throw failed(row, &call, request, error, after: time.monotonic() - sentAt, fault)
    }
  }

  /// Records an attempt without a response.
  private func failed(
    _ row: String, _ call: inout Call, _ request: TransportRequest, _ error: TransportError, after elapsed: Duration,
    _ fault: FaultDecision?
  ) -> AttemptFailure {
    if error.mayHaveReachedBackend { call.mayHaveReachedBackend = true }
    if call.wire?.origin == nil, let signal = Connectivity.Signal(error) { note(signal) }
    recorder.finish(row, call, request: request, error: error, after: elapsed, fault: fault?.attribution)
    return AttemptFailure(transport: error)
  }

  /// The header fields of a call that are the same for every attempt.
  func fields(for call: Call) -> HTTPFields {
    var headers = HTTPFields()
    headers[.accept] = "application/json"
    if call.body != nil { headers[.contentType] = "application/json" }
    headers[.userAgent] = configuration.userAgent
    headers[.requestID] = call.id
    headers[.deviceID] = configuration.deviceID
    if let key = call.idempotencyKey { headers[.idempotencyKey] = key }
    for name in Set(call.extraFields.map(\.name)) { headers[name] = nil }
    headers.append(contentsOf: call.extraFields)
    return headers
  }

  /// Builds an attempt's request; the token is only ever sent to the configured origin.
  ///
  /// `skew` is the clock skew of a fault rule, in seconds.
  func request(for call: Call, token: String?, skew: Int64 = 0) -> TransportRequest {
    var headers = call.wire?.headers ?? call.fields ?? fields(for: call)
    if let token { secrets.register(token, kind: .token) }
    if call.wire == nil {
      headers.append(contentsOf: call.conditions)
      if let token, configuration.backendFile == nil { headers[.authorization] = "Bearer \(token)" }
    }
    let body = call.wire.map(\.body) ?? call.body
    // The idempotency key is for the backend only, not for another host.
    if call.wire?.origin == nil {
      signer?.sign(&headers, method: call.sentMethod, path: call.sentPath, body: body, skew: skew)
    }
    return TransportRequest(
      method: call.sentMethod,
      url: (call.wire?.origin ?? configuration.origin) + call.sentPath + (call.sentQuery.map { "?\($0)" } ?? ""),
      headers: headers,
      body: body,
      idleTimeout: call.idleTimeout,
      deadline: call.deadline,
      isReplayable: call.sentMethod == .get || call.sentMethod == .head,
      responseLimit: call.answerLimit)
  }
}

extension AttemptSender {
  /// Suspends a call that waits for connectivity until the backend is reachable; its next attempt's row shows it as waiting.
  ///
  /// Throws `offline` if the call's deadline passes first, or `cancelled`.
  func awaitConnectivity(_ call: inout Call) async throws(AttemptFailure) {
    guard call.waitsForConnectivity else { return }
    if connectivity.hasRecentFailure, call.waitingRow == nil {
      call.attempts += 1
      call.waitingRow = recorder.begin(
        call, request: request(for: call, token: nil), parent: nil, at: time.wall(), state: .waiting)
    }
    switch await connectivity.waitUntilAdmitted(until: call.deadline) {
    case .go: return
    case .timedOut: throw AttemptFailure(.offline)
    case .cancelled: throw AttemptFailure(.cancelled)
    }
  }

  /// Ends the row of a call that waited and was never sent.
  func endWaiting(_ call: inout Call, error: NetworkError) {
    guard let row = call.waitingRow else { return }
    call.waitingRow = nil
    recorder.finishUnsent(row, call, request: request(for: call, token: nil), error: error)
  }

  /// Records an attempt's evidence of the backend's reachability.
  private func note(_ signal: Connectivity.Signal) {
    guard connectivity.note(signal) else { return }
    loggers.network.notice("the backend is \(signal == .reached ? "reachable again" : "unreachable")")
  }
}

extension AttemptSender {
  /// Exchanges a refresh token; by construction without authentication, retry or 401 handling.
  ///
  /// If the connection is lost after the request was sent, the backend may have used the token already. It returns the same
  /// successor to a repeated request within 10 s, and ends the session for a later one, so the call is repeated once at once.
  var refreshCall: RefreshCall {
    { tokens, cause, admission throws(RefreshFailure) in
      let refused: AttemptResponse
      do throws(NetworkError) {
        let answer = try await refresh(tokens, cause, admission)
        if answer.isSuccess {
          let pair = try APIClient.decode(TokenPair.self, from: answer)
          var refreshed = try SessionTokens(
            pair, sentAt: answer.sentAt, sentWall: answer.sentWall, clockCorrection: clock.correctionSeconds,
            answeredAt: answer.answeredAt, keeping: tokens.refreshToken, needsRefreshToken: answer.reading == nil)
          // The session's captured values may have changed meanwhile.
          refreshed.captured = answer.reading.map { CapturedSession(of: $0.captured) }
          return refreshed
        }
        refused = answer
      } catch {
        throw RefreshFailure(error)
      }
      let status = refused.response.status
      // A refresh names no object that could be missing or in conflict: such a response comes from a wrong address, or a proxy on
      // the way.
      throw RefreshFailure(
        [404, 409].contains(status) ? .server(statusCode: status) : AttemptFailure(refused, wall: clock.ownSeconds).error,
        refusal: refused.refusalOfRefresh)
    }
  }

  private func refresh(
    _ tokens: SessionTokens, _ cause: RefreshCause, _ admission: @escaping Admission
  ) async throws(NetworkError) -> AttemptResponse {
    if let token = tokens.refreshToken { secrets.register(token, kind: .token) }
    var call = try Call(
      AuthEndpoints.RefreshTokens(), body: RefreshRequest(refreshToken: tokens.refreshToken ?? ""), now: time.monotonic(),
      flow: cause.flow)
    call.sessionValues = tokens.templateValues
    call.admission = admission
    do throws(NetworkError) {
      return try await once(&call, token: nil, parent: cause.parentRow)
    } catch .connectionLost(mayHaveBeenProcessed: true) {
      return try await once(&call, token: nil, parent: cause.parentRow)
    }
  }

  /// Notifies the backend of the end of a session whose tokens this device has already removed; ignores the outcome.
  func sendLogout(_ tokens: SessionTokens, timeout: EndpointTimeout) async {
    guard var call = try? Call(AuthEndpoints.Logout(), body: NoBody(), now: time.monotonic(), timeout: timeout) else { return }
    call.sessionValues = tokens.templateValues
    _ = try? await once(&call, token: tokens.accessToken, parent: nil)
  }

  private func once(_ call: inout Call, token: String?, parent: String?) async throws(NetworkError) -> AttemptResponse {
    do throws(AttemptFailure) {
      return try await perform(&call, token: token, parent: parent)
    } catch {
      throw error.error
    }
  }
}
