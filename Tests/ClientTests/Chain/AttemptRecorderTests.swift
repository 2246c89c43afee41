import Client
import Domain
import HTTPTypes
import JSON
import Observability
import RPC
import Testing
import Vault
import Redaction

@Suite(.timeLimit(.minutes(1)))
struct AttemptRecorderTests {
  /// The detail of the newest row.
  private func detail(_ bench: ClientHarness) throws -> NetworkRowDetail {
    let row = try #require(bench.log.rows().events.last)
    return try #require(bench.log.detail(id: row.id))
  }

  @Test func aRowHasTheTimingsOfItsAttempt() async throws {
    let bench = try ClientHarness()
    let timings = NetworkTimings(dns: 1, connect: 2, wait: 3, total: 9)
    let answer = TransportResponse(status: 403, timings: timings)
    bench.backend.script(AppEndpoints.AppConfig.path, [.success(answer)])
    _ = try? await bench.stack.account.fetchAppConfig()
    let recorded = try detail(bench).timings
    #expect([recorded.dns, recorded.connect, recorded.wait, recorded.total] == [1, 2, 3, 9])
  }

  @Test func aRowTellsTechnicalDetailsOfAFailure() async throws {
    let bench = try ClientHarness(backoff: .none)
    bench.backend.script(AppEndpoints.AppConfig.path, [.failure(.tls("self-signed certificate"))])
    _ = try? await bench.stack.account.fetchAppConfig()
    #expect(try detail(bench).row.errorDetail?.contains("self-signed certificate") == true)
  }

  @Test func onlyMarkedBodiesAreKept() async throws {
    let bench = try ClientHarness()
    try await bench.signIn()
    let login = try detail(bench)
    #expect(login.request.body == nil && login.request.bodyNote == .notKept)
    _ = try await bench.stack.account.fetchMe()
    #expect(try detail(bench).response?.body != nil)
  }

  /// The spellings of tokens that backends use, each with a value that no rule knows.
  private static let tokenAnswers = [
    #"{"access_token":"A","refresh_token":"R","token_type":"Bearer","expires_in":900,"session_id":"S","profile":{"profile_id":"P","display_name":"N"}}"#,
    #"{"access_token":"A","refresh_token":"R"}"#,
    #"{"accessToken":"A","refreshToken":"R","tokenType":"Bearer","expiresIn":900,"sessionId":"S"}"#,
    #"{"access_token":"A","refresh_token":"R","device_pass":"S","extra":{"hint":"P","list":["N"]}}"#,
  ]

  @Test(arguments: tokenAnswers) func theAnswerOfALoginIsKeptMasked(answer: String) async throws {
    let bench = try ClientHarness()
    let values = ["A", "R", "S", "P", "N"].map { ($0, "\($0)-" + SecureRandom.uuid()) }
    let body = values.reduce(answer) { $0.replacing("\"\($1.0)\"", with: "\"\($1.1)\"") }
    bench.backend.script(AuthEndpoints.LoginWithCode.path, [.success(TransportResponse(status: 200, body: Array(body.utf8)))])
    try? await bench.signIn()
    let row = try #require(bench.log.rows().events.last { $0.endpoint == "login_with_code" })
    let stored = try #require(bench.log.detail(id: row.id)?.response?.body)
    let (sent, kept) = try (JSONDocument(parsing: Array(body.utf8)).root, JSONDocument(parsing: Array(stored.utf8)).root)
    #expect(kept.members.map(\.key) == sent.members.map(\.key))
    for (_, value) in values { #expect(!stored.contains(value) && !stored.contains(value.suffix(12))) }
    let expiry = kept["expires_in"] ?? kept["expiresIn"]
    #expect(expiry?.int64 == (sent["expires_in"] ?? sent["expiresIn"])?.int64)
  }
}
