import Domain
import FoundationEssentials
import HTTPTypes

extension AttemptSender {
  /// Sends an attempt as the fault rules that act on it want; without any, as it is.
  func send(_ request: TransportRequest, under decision: FaultDecision?) async throws(TransportError) -> TransportResponse {
    guard let decision else { return try await transport.send(request) }
    try await pause(decision.latency, request)
    switch decision.outcome {
    case nil:
      var response = try await transport.send(request)
      // The wait is the backend's, as far as the client can tell.
      response.timings.wait = (response.timings.wait ?? .zero) + decision.latency
      response.timings.total = response.timings.total.map { $0 + decision.latency }
      return response
    case .answer(let answer):
      return answer.response(requestID: request.headers[.requestID], wall: clock.ownSeconds)
    case .fail(let error):
      throw error
    case .stall(let limit):
      let now = time.monotonic()
      let end = min(request.deadline, now + (limit ?? request.idleTimeout))
      do { try await time.sleep(end) } catch { throw .cancelled }
      throw .timedOut(end == request.deadline ? .deadline : .idle)
    case .dropResponse:
      let response = try await transport.send(request)
      // Nobody sees it, but the backend knows these tokens now.
      secrets.learn(fromAnswer: response.body)
      throw .connectionLost(mayHaveBeenProcessed: true)
    case .truncateResponse:
      var response = try await transport.send(request)
      secrets.learn(fromAnswer: response.body)
      response.body = response.body.count < 2 ? [UInt8(ascii: "{")] : Array(response.body.prefix(response.body.count / 2))
      return response
    }
  }

  /// Waits before an attempt goes out, at most as long as the attempt itself may take.
  private func pause(_ latency: Duration, _ request: TransportRequest) async throws(TransportError) {
    guard latency > .zero else { return }
    let now = time.monotonic()
    let limit = min(request.deadline, now + request.idleTimeout)
    do { try await time.sleep(min(now + latency, limit)) } catch { throw .cancelled }
    if now + latency >= limit { throw .timedOut(limit == request.deadline ? .deadline : .idle) }
  }
}
