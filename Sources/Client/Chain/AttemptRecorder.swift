import FoundationEssentials
import HTTPTypes
import Logging
import Observability
import RPC

/// Writes each attempt into the network log, when it goes out and when it ends; the log redacts. Metrics and the logger hear of
/// its end.
struct AttemptRecorder: Sendable {
  let log: NetworkLog
  /// Scheme and authority of the backend.
  let origin: String
  /// Where metrics go.
  let onAttempt: @Sendable (AttemptReport) -> Void
  let logger: Logger

  /// Notes that an attempt goes out, or waits; returns its row. `parent` is the row that caused it.
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
    return row
  }

  /// Notes that an attempt that waited goes out, as it is now.
  func resume(_ row: String, _ call: Call, request: TransportRequest) {
    log.update(row, to: .pending, request: raw(call, request))
  }

  /// Notes that an attempt ended before anything went out.
  func finishUnsent(_ row: String, _ call: Call, request: TransportRequest, error: NetworkError) {
    log.finish(
      row,
      with: RawExchange(
        request: raw(call, request), timings: NetworkTimings(), state: error == .cancelled ? .cancelled : .failure,
        error: error.word, errorDetail: "nothing was sent"))
    report(call, status: nil, error: error, timings: TransportTimings())
  }

  /// Notes an answer, whatever its status; an error is named by the backend's code, or else by a word.
  func finish(
    _ row: String, _ call: Call, request: TransportRequest, answer: AttemptResponse, after elapsed: Duration,
    fault: FaultAttribution? = nil
  ) {
    let response = answer.response
    var timings = response.timings
    timings.total = timings.total ?? elapsed
    let failure = answer.isSuccess ? nil : NetworkError(status: response.status, code: nil)
    let error = failure.map { answer.backendCode ?? $0.word }
    log.finish(
      row,
      with: RawExchange(
        request: raw(call, request),
        response: RawResponse(status: response.status, headers: response.headers.lines, body: response.body),
        timings: NetworkTimings(timings), state: answer.isSuccess ? .success : .failure, source: fault?.source,
        faultID: fault?.ruleID, error: error))
    report(call, status: response.status, error: failure, timings: timings)
  }

  /// Notes that an attempt failed below HTTP.
  func finish(
    _ row: String, _ call: Call, request: TransportRequest, error: TransportError, after elapsed: Duration,
    fault: FaultAttribution? = nil
  ) {
    let presentedPins = if case .pinMismatch(let presented) = error { presented } else { [String]() }
    log.finish(
      row,
      with: RawExchange(
        request: raw(call, request), timings: NetworkTimings(total: elapsed.milliseconds),
        state: error == .cancelled ? .cancelled : .failure, source: fault?.source, faultID: fault?.ruleID,
        error: NetworkError(error).word, errorDetail: "\(error)",
        presentedPins: presentedPins))
    report(call, status: nil, error: NetworkError(error), timings: TransportTimings(total: elapsed))
    if !presentedPins.isEmpty {
      logger.error(
        "no certificate of the backend's chain is pinned", metadata: ["presented": "\(presentedPins.joined(separator: " "))"])
    }
  }

  /// Notes that a call was answered from the cache; the row has the source `cache` (contract §2.4).
  func record(_ call: Call, fields: HTTPFields, cached response: TransportResponse, from wall: Date, after elapsed: Duration) {
    let request = raw(
      call, TransportRequest(method: call.method, url: origin + call.path, headers: fields, deadline: call.deadline))
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

  /// Tells metrics and the logger, in words of the client's own: a backend's code could quote anything.
  private func report(_ call: Call, status: Int?, error: NetworkError?, timings: TransportTimings) {
    onAttempt(
      AttemptReport(endpoint: call.endpoint, attempt: call.attempts, status: status, error: error?.word, timings: timings))
    logger.debug(
      "attempt ended",
      metadata: [
        "endpoint": "\(call.endpoint)", "attempt": "\(call.attempts)", "call": "\(call.id)",
        "status": "\(status.map(String.init) ?? "none")", "error": "\(error?.word ?? "none")",
        "ms": "\(timings.total.map { Int($0.milliseconds) } ?? 0)",
      ])
  }

  func raw(_ call: Call, _ request: TransportRequest) -> RawRequest {
    RawRequest(
      method: request.method, origin: origin, path: call.path, query: call.query,
      endpoint: EndpointTraits(
        name: call.endpoint, isAuthentication: call.isAuthentication, logsRequestBody: call.loggableBodies.contains(.request),
        logsResponseBody: call.loggableBodies.contains(.response)),
      headers: request.headers.lines, body: request.body ?? [])
  }
}

extension NetworkTimings {
  /// The transport's phases in milliseconds.
  init(_ timings: TransportTimings) {
    self.init(
      queue: timings.queue?.milliseconds, dns: timings.dns?.milliseconds, connect: timings.connect?.milliseconds,
      tls: timings.tls?.milliseconds, send: timings.send?.milliseconds, wait: timings.wait?.milliseconds,
      receive: timings.receive?.milliseconds, total: timings.total?.milliseconds)
  }
}
