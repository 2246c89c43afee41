import Client
import FoundationEssentials
import HTTPTypes
import Support

@testable import Observability
@testable import Redaction

/// Logs with attempts of every kind, drawn by chance from a seed.
struct RandomLog {
  private var generator: SeededGenerator
  let registry: SecretRegistry

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
    registry = SecretRegistry(tagKey: [7])
    registry.register("dana@example.com", kind: .identifier)
    registry.register("a-refresh-token-of-forty-characters-0001", kind: .token)
  }

  private static let texts = [
    "", "{}", #"{"email":"dana@example.com","n":1}"#, "not JSON", #"{"token":"a-refresh-token-of-forty-characters-0001"}"#,
    #"{"text":"žluťoučký \u0000 \ud83d\ude00","list":[1,2.5,null,true]}"#,
  ]

  /// Records attempts, of which some have not ended, and pins one in ten.
  mutating func record(_ count: Int, in log: NetworkLog) throws {
    for number in 0..<count {
      let method: HTTPRequest.Method = [.get, .post, .put, .delete].randomElement(using: &generator) ?? .get
      let request = RawRequest(
        method: method, origin: "https://backend.test",
        path: ["/rpc/a", "/rpc/dana@example.com/b", "/rpc/%C4%8D"].randomElement(using: &generator) ?? "/",
        query: Bool.random(using: &generator) ? "email=dana@example.com&q=\(number)" : nil,
        endpoint: EndpointTraits(
          name: ["/rpc/a", "/rpc/b"].randomElement(using: &generator) ?? "/", isAuthentication: Bool.random(using: &generator),
          logsRequestBody: Bool.random(using: &generator), logsResponseBody: Bool.random(using: &generator)),
        headers: [
          ("Authorization", "Bearer a-refresh-token-of-forty-characters-0001"), ("X-Number", "\(number)"), ("X-Number", ""),
        ],
        body: Array((Self.texts.randomElement(using: &generator) ?? "").utf8))
      let origin = AttemptOrigin(
        callID: "11111111-1111-4111-8111-111111111111", parentID: Bool.random(using: &generator) ? "parent" : nil,
        flowID: "22222222-2222-4222-8222-222222222222", flow: "login", attempt: Int.random(in: 1...4, using: &generator),
        source: [.network, .cache, .composed].randomElement(using: &generator) ?? .network,
        startedAt: Date(timeIntervalSince1970: 1_760_000_000 + Double(number) / 8))
      let id = log.begin(request, of: origin)
      if Int.random(in: 0..<10, using: &generator) > 0 { log.finish(id, with: exchange(request)) }
      if Int.random(in: 0..<10, using: &generator) == 0 { _ = try log.pin(id: id, isPinned: true) }
    }
    log.flush()
  }

  private mutating func exchange(_ request: RawRequest) -> RawExchange {
    let status = [200, 204, 304, 401, 429, 500].randomElement(using: &generator) ?? 200
    let hasAnswer = Int.random(in: 0..<5, using: &generator) > 0
    return RawExchange(
      request: request,
      response: hasAnswer
        ? RawResponse(
          status: status, headers: [("Content-Type", "application/json"), ("Set-Cookie", "session=dana@example.com")],
          body: Array((Self.texts.randomElement(using: &generator) ?? "").utf8), wireByteCount: 17) : nil,
      timings: NetworkTimings(queue: 0.01, connect: Bool.random(using: &generator) ? 1.5 : nil, wait: 3.25, total: 4.125),
      state: hasAnswer
        ? status < 400 ? .success : .failure : [.failure, .cancelled].randomElement(using: &generator) ?? .failure,
      source: Bool.random(using: &generator) ? .fault : nil, faultID: Bool.random(using: &generator) ? "fault" : nil,
      fault: Bool.random(using: &generator) ? RowFault(name: "Down", action: "status", preset: "backend-down") : nil,
      error: hasAnswer ? nil : "offline", errorDetail: hasAnswer ? nil : "no route for dana@example.com",
      presentedPins: Bool.random(using: &generator) ? ["AAAA", "BBBB"] : [])
  }
}

/// Repeatable random numbers.
struct SeededGenerator: RandomNumberGenerator {
  private var numbers: SplitMix64
  init(seed: UInt64) { numbers = SplitMix64(seed: seed) }
  mutating func next() -> UInt64 { numbers.next() }
}
