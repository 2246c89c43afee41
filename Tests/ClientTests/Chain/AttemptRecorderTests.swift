import Client
import Domain
import HTTPTypes
import Observability
import RPC
import Testing

@Suite(.timeLimit(.minutes(1)))
struct AttemptRecorderTests {
  /// The detail of the newest row.
  private func detail(_ bench: ClientHarness) throws -> NetworkRowDetail {
    let row = try #require(bench.log.rows().events.last)
    return try #require(bench.log.detail(id: row.id))
  }

  @Test func aRowHasTheTimingsOfItsAttempt() async throws {
    let bench = try ClientHarness()
    let timings = TransportTimings(
      dns: .milliseconds(1), connect: .milliseconds(2), wait: .milliseconds(3), total: .milliseconds(9))
    let answer = TransportResponse(status: 403, timings: timings)
    bench.backend.script(AppEndpoints.AppConfig.path, [.success(answer)])
    _ = try? await bench.stack.account.fetchAppConfig()
    let recorded = try detail(bench).timings
    #expect([recorded.dns, recorded.connect, recorded.wait, recorded.total] == [1, 2, 3, 9])
  }

  @Test func aRowTellsTechnicalDetailsOfAFailure() async throws {
    let bench = try ClientHarness(random: { 0 })
    bench.backend.script(AppEndpoints.AppConfig.path, [.failure(.tls("self-signed certificate"))])
    _ = try? await bench.stack.account.fetchAppConfig()
    #expect(try detail(bench).errorDetail?.contains("self-signed certificate") == true)
  }

  @Test func onlyMarkedBodiesAreKept() async throws {
    let bench = try ClientHarness()
    try await bench.signIn()
    let login = try detail(bench)
    #expect(login.request.body == nil && login.response?.body == nil)
    _ = try await bench.stack.account.fetchMe()
    #expect(try detail(bench).response?.body != nil)
  }
}
