import FoundationEssentials
import Observability
import RPC

/// Writes each attempt into the network log, when it goes out and when it ends; the log redacts.
struct AttemptRecorder: Sendable {
  let log: NetworkLog
  /// Scheme and authority of the backend.
  let origin: String

  /// Notes that an attempt goes out; returns its row. `parent` is the row that caused it.
  func begin(_ call: Call, request: TransportRequest, parent: String?, at wall: Date) -> String {
    log.begin(
      raw(call, request),
      of: AttemptOrigin(
        callID: call.id, parentID: parent, flowID: call.flow.id, flow: call.flow.name, attempt: call.attempts, startedAt: wall))
  }

  /// Notes an answer, whatever its status; an error is named by the backend's code, or else by a word.
  func finish(_ row: String, _ call: Call, request: TransportRequest, answer: Answer, after elapsed: Duration) {
    let response = answer.response
    var timings = NetworkTimings(response.timings)
    timings.total = timings.total ?? elapsed.milliseconds
    let error =
      answer.isSuccess
      ? nil
      : answer.backendCode ?? NetworkError(status: response.status, code: nil, retryAfterSeconds: nil).word
    log.finish(
      row,
      with: RawExchange(
        request: raw(call, request),
        response: RawResponse(status: response.status, headers: response.headers.lines, body: response.body),
        timings: timings, state: answer.isSuccess ? .success : .failure, error: error))
  }

  /// Notes that an attempt failed below HTTP.
  func finish(_ row: String, _ call: Call, request: TransportRequest, error: TransportError, after elapsed: Duration) {
    log.finish(
      row,
      with: RawExchange(
        request: raw(call, request), timings: NetworkTimings(total: elapsed.milliseconds),
        state: error == .cancelled ? .cancelled : .failure, error: NetworkError(error).word, errorDetail: "\(error)"))
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
      dns: timings.dns?.milliseconds, connect: timings.connect?.milliseconds, tls: timings.tls?.milliseconds,
      wait: timings.wait?.milliseconds, receive: timings.receive?.milliseconds, total: timings.total?.milliseconds)
  }
}

extension Duration {
  /// The duration in milliseconds.
  var milliseconds: Double { self / .milliseconds(1) }
}
