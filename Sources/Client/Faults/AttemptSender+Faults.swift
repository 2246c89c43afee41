import Domain
import FoundationEssentials
import HTTPTypes
import Observability
import RPC

extension AttemptSender {
  /// Sends an attempt, which has been delayed, as the fault rules decided; nil sends it unchanged.
  func send(_ request: TransportRequest, under decision: FaultDecision?) async throws(TransportError) -> TransportResponse {
    guard let decision else { return try await transport.send(request) }
    switch decision.outcome {
    case nil:
      var response = try await transport.send(request)
      // To the client, the latency is the backend's.
      response.timings.wait = (response.timings.wait ?? 0) + decision.latency.milliseconds
      response.timings.total = response.timings.total.map { $0 + decision.latency.milliseconds }
      return response
    case .answer(let answer):
      return answer.response(requestID: request.headers[.requestID], wall: clock.ownSeconds)
    case .written(let answer):
      return try answer.response(to: request, wall: clock.ownSeconds)
    case .fail(let error):
      throw error
    case .stall(let limit):
      let now = time.monotonic()
      let end = min(request.deadline, now + (limit ?? request.idleTimeout))
      do { try await time.sleep(end) } catch { throw .cancelled }
      throw .timedOut(end == request.deadline ? .deadline : .idle)
    case .dropResponse:
      let response = try await transport.send(request)
      // The response is discarded, but its tokens are valid at the backend.
      secrets.learn(fromAnswer: response.body)
      throw .connectionLost(mayHaveBeenProcessed: true)
    case .truncateResponse:
      var response = try await transport.send(request)
      secrets.learn(fromAnswer: response.body)
      response.body = response.body.count < 2 ? [UInt8(ascii: "{")] : Array(response.body.prefix(response.body.count / 2))
      return response
    case .mangleResponse(let seed):
      var response = try await transport.send(request)
      // A token whose name changes is still a secret.
      secrets.learn(fromAnswer: response.body)
      response.body = MangledBody.mangle(response.body, seed: seed)
      return response
    }
  }

  /// Delays an attempt, at most for its own timeout.
  func pause(_ latency: Duration, _ request: TransportRequest) async throws(TransportError) {
    guard latency > .zero else { return }
    let now = time.monotonic()
    let limit = min(request.deadline, now + request.idleTimeout)
    do { try await time.sleep(min(now + latency, limit)) } catch { throw .cancelled }
    if now + latency >= limit { throw .timedOut(limit == request.deadline ? .deadline : .idle) }
  }
}
