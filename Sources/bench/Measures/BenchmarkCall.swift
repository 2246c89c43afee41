import FoundationEssentials
import HTTPTypes
import Observability
import Redaction
import Text
import Vault

/// A call for the network log, with bodies like those of the reference backend.
struct BenchmarkCall {
  let registry = SecretRegistry(tagKey: SecureRandom.bytes(32))
  private let token = Base64URL.encode(SecureRandom.bytes(32))

  /// A registry with some secrets of each kind.
  init() {
    for _ in 0..<8 { registry.register(Base64URL.encode(SecureRandom.bytes(32)), kind: .token) }
    registry.register(token, kind: .token)
    for name in ["dana", "sam", "kim"] { registry.register("\(name).fields@example.com", kind: .email) }
    registry.register("+491701234567", kind: .phone)
    for _ in 0..<3 { registry.register(SecureRandom.digits(6), kind: .code) }
  }

  /// A body with the given number of cues.
  static func body(cues count: Int) -> [UInt8] {
    let cues = (0..<count).map { number in
      #"{"cue_id":"7c9e6679-7425-40de-944b-e07fc1f9\#(1000 + number % 9000)","profile_id":"550e8400-e29b-41d4-a716-446655440000","#
        + #""prompt":"How do you say the house number \#(number) in the other language?","#
        + #""answer":"Das Haus mit der Nummer \#(number), wie man so schön sagt","stage":"learning","position":\#(number),"#
        + #""updated_at":"2026-11-21T09:39:29.123Z","audio":"https://cdn.example.org/audio/\#(number)/file.mp3","note":null}"#
    }
    return Array(#"{"cues":[\#(cues.joined(separator: ","))],"server_time":"2026-11-21T09:39:29.123Z"}"#.utf8)
  }

  /// Records the call from beginning to end.
  func record(in log: NetworkLog, answer: [UInt8]) {
    let request = RawRequest(
      method: .get, origin: "https://backend.test", path: "/rpc/get_cues",
      query: "profile_id=550e8400-e29b-41d4-a716-446655440000",
      endpoint: EndpointTraits(name: "get_cues", isAuthentication: false, logsRequestBody: true, logsResponseBody: true),
      headers: [
        ("Host", "backend.test"), ("Accept", "application/json"), ("Accept-Encoding", "gzip"),
        ("User-Agent", "Understudy/1.0 (Linux; x86_64)"), ("Authorization", "Bearer \(token)"),
        ("X-Device-ID", "550e8400-e29b-41d4-a716-446655440000"), ("X-Request-ID", "7c9e6679-7425-40de-944b-e07fc1f90000"),
        ("X-Api-Id", "understudy"), ("X-Nonce", "1763717969"),
        ("X-Signature", "a4d653a8a243367ed58fbc195efb866bc34016e0a4a43f5b3f93a1630dac7525"),
      ])
    let id = log.begin(request, of: AttemptOrigin(callID: "call", flowID: "flow", flow: "load_cues", startedAt: Date()))
    let response = RawResponse(
      status: 200,
      headers: [
        ("content-type", "application/json"), ("date", "Sat, 21 Nov 2026 09:39:29 GMT"), ("etag", "\"3f1c09ab\""),
        ("cache-control", "private, no-cache"), ("content-length", "\(answer.count)"),
        ("x-request-id", "7c9e6679-7425-40de-944b-e07fc1f90000"),
      ], body: answer)
    log.finish(
      id, with: RawExchange(request: request, response: response, timings: NetworkTimings(total: 12), state: .success))
  }
}
