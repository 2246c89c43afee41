import FoundationEssentials
import HTTPTypes
import Observability

extension AttemptRecorder {
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
}
