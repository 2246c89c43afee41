import FoundationEssentials
import HTTPTypes
import JSON
import Logging
package import Observability
import RPC
import Redaction

/// Writes each attempt to the network log as it starts and as it ends, and reports its end to metrics and the logger. The log
/// redacts.
struct AttemptRecorder: Sendable {
  let log: NetworkLog
  /// Scheme and authority of the backend.
  let origin: String
  /// Receives a report for metrics as each attempt ends.
  let onAttempt: @Sendable (AttemptReport) -> Void
  let logger: Logger

  /// Records that an attempt starts, or waits, and returns its row; `parent` is the row that caused it.
  func begin(
    _ call: Call, request: TransportRequest, parent: String?, at wall: Date, state: NetworkRow.State = .pending
  ) -> String {
    let row = log.begin(
      raw(call, request),
      of: AttemptOrigin(
        callID: call.id, parentID: parent ?? call.parentRow, flowID: call.flow.id, flow: call.flow.name, attempt: call.attempts,
        source: call.source, startedAt: wall),
      state: state)
    call.onRow?(row)
    StartedRows.current?.note(row)
    return row
  }

  /// Records that a waiting attempt is sent, with its current request.
  func resume(_ row: String, _ call: Call, request: TransportRequest) {
    log.update(row, to: .pending, request: raw(call, request))
  }

  /// Records that an attempt ended before anything was sent.
  func finishUnsent(
    _ row: String, _ call: Call, request: TransportRequest, error: NetworkError, detail: String = "nothing was sent"
  ) {
    log.finish(
      row,
      with: RawExchange(
        request: raw(call, request), timings: NetworkTimings(), state: error == .cancelled ? .cancelled : .failure,
        error: error.word, errorDetail: detail))
    report(call, status: nil, error: error, timings: NetworkTimings())
  }

  /// Records a response of any status; an error is named by the backend's code, or else by the client's. A response with an
  /// unusable body is a failure, whatever its status.
  func finish(
    _ row: String, _ call: Call, request: TransportRequest, answer: AttemptResponse, after elapsed: Duration,
    fault: FaultAttribution? = nil
  ) {
    let response = answer.response
    var timings = response.timings
    timings.total = timings.total ?? elapsed.milliseconds
    let mismatch = answer.mismatch
    let failure =
      mismatch.map(NetworkError.unexpectedPayload)
      ?? (answer.isSuccess
        ? nil
        : answer.reading == nil
          ? NetworkError(status: response.status, code: nil) : AttemptFailure(answer, wall: 0).error)
    let error = failure.map { answer.error?.code ?? $0.word }
    log.finish(
      row,
      with: RawExchange(
        request: raw(call, request),
        response: shown(answer),
        timings: timings, connection: response.connection, state: failure == nil ? .success : .failure,
        source: fault?.source,
        faultID: fault?.ruleID, fault: fault?.fault, error: error, errorDetail: mismatch?.description ?? answer.reading?.rule))
    report(call, status: response.status, error: failure, timings: timings, fault: fault)
    if let mismatch {
      logger.warning(
        "a response cannot be decoded", metadata: ["endpoint": "\(call.endpoint)", "call": "\(call.id)", "detail": "\(mismatch)"])
    }
  }

  /// Records that the transport failed.
  func finish(
    _ row: String, _ call: Call, request: TransportRequest, error: TransportError, after elapsed: Duration,
    fault: FaultAttribution? = nil
  ) {
    let presentedPins = if case .pinMismatch(let presented) = error { presented } else { [String]() }
    log.finish(
      row,
      with: RawExchange(
        request: raw(call, request), timings: NetworkTimings(total: elapsed.milliseconds),
        state: error == .cancelled ? .cancelled : .failure, source: fault?.source, faultID: fault?.ruleID, fault: fault?.fault,
        error: NetworkError(error).word, errorDetail: "\(error)",
        presentedPins: presentedPins))
    report(call, status: nil, error: NetworkError(error), timings: NetworkTimings(total: elapsed.milliseconds), fault: fault)
    if !presentedPins.isEmpty {
      logger.error(
        "no certificate of the backend's chain is pinned", metadata: ["presented": "\(presentedPins.joined(separator: " "))"])
    }
  }

  /// Records that a call got its response from the cache; the row's source is `cache`.
  func record(_ call: Call, fields: HTTPFields, cached response: TransportResponse, from wall: Date, after elapsed: Duration) {
    let request = raw(
      call, TransportRequest(method: call.sentMethod, url: origin + call.sentPath, headers: fields, deadline: call.deadline))
    let row = log.begin(
      request,
      of: AttemptOrigin(
        callID: call.id, flowID: call.flow.id, flow: call.flow.name, attempt: call.attempts, source: .cache, startedAt: wall))
    log.finish(
      row,
      with: RawExchange(
        request: request,
        response: RawResponse(status: response.status, headers: response.headers.lines, body: response.body),
        timings: NetworkTimings(total: elapsed.milliseconds), state: .success, source: .cache))
  }

  /// The response as the log records it: a body that was rejected for a JSON fault is repaired, so that its values can be masked
  /// by their names.
  private func shown(_ answer: AttemptResponse) -> RawResponse {
    let response = answer.response
    let document = answer.document ?? (response.codingFault == nil ? ToleratedJSON.mended(response.body) : nil)
    return RawResponse(
      status: response.status, headers: response.headers.lines, body: document?.bytes ?? response.body, document: document)
  }

  /// Reports to metrics and the logger in the client's own words: a backend's error code could quote a secret.
  private func report(
    _ call: Call, status: Int?, error: NetworkError?, timings: NetworkTimings, fault: FaultAttribution? = nil
  ) {
    onAttempt(
      AttemptReport(
        endpoint: call.endpoint, status: status, error: error?.word, timings: timings,
        isSimulated: fault?.source == .fault))
    logger.debug(
      "attempt ended",
      metadata: [
        "endpoint": "\(call.endpoint)", "attempt": "\(call.attempts)", "call": "\(call.id)",
        "status": "\(status.map(String.init) ?? "none")", "error": "\(error?.word ?? "none")",
        "ms": "\(timings.total.map { Int($0) } ?? 0)",
      ])
  }

  private func raw(_ call: Call, _ request: TransportRequest) -> RawRequest {
    RawRequest(
      method: request.method, origin: call.wire?.origin ?? origin, path: call.sentPath, query: call.sentQuery,
      endpoint: EndpointTraits(
        name: call.endpoint, isAuthentication: call.isAuthentication, logsRequestBody: call.loggableBodies.contains(.request),
        logsResponseBody: !call.loggableBodies.isDisjoint(with: [.response, .maskedResponse]),
        masksResponseValues: call.loggableBodies.contains(.maskedResponse)),
      headers: request.headers.lines, body: request.body ?? [])
  }
}

/// The metrics of one attempt (seed-rules N-25 "timings of each attempt", N-26 "available to analytics"): names, numbers and
/// durations, no text of the backend or a user.
package struct AttemptReport: Hashable, Sendable {
  /// The endpoint's name in the network log.
  package let endpoint: String
  /// The status of the response; nil if there was none.
  package let status: Int?
  /// The client's identifier of the error; nil on success.
  package let error: String?
  /// How long each phase took.
  package let timings: NetworkTimings
  /// Whether a fault rule decided the client's result instead of the backend.
  package let isSimulated: Bool
  package init(
    endpoint: String, status: Int?, error: String?, timings: NetworkTimings, isSimulated: Bool = false
  ) {
    self.endpoint = endpoint
    self.status = status
    self.error = error
    self.timings = timings
    self.isSimulated = isSimulated
  }
}
