import Client
import HTTPTypes
import JSON
import RPC
import Support
import Testing

/// Each account route while the backend is limited, broken, silent or answers something else; then again when it works.
@Suite(.timeLimit(.minutes(2))) struct BadBackendTests {
  /// What the backend does, and what the page is told.
  struct Fault: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let answer: AccountBackend.Handler
    let status: Int
    let code: String

    static let all = [
      Fault(
        testDescription: "429",
        answer: { _ in AccountBackend.error(429, BackendErrorCode.tooManyAttempts, headers: [.retryAfter: "7"]) }, status: 429,
        code: "too_many_attempts"),
      Fault(testDescription: "500", answer: { _ in AccountBackend.error(500, "internal") }, status: 502, code: "backend_error"),
      Fault(testDescription: "503", answer: { _ in AccountBackend.error(503, "unavailable") }, status: 503, code: "unavailable"),
      Fault(
        testDescription: "garbage", answer: { _ in TransportResponse(status: 200, body: Array("<html>\u{0}".utf8)) },
        status: 502, code: "unexpected_payload"),
      Fault(
        testDescription: "another shape", answer: { _ in TransportResponse(status: 200, body: Array("[]".utf8)) }, status: 502,
        code: "unexpected_payload"),
      Fault(
        testDescription: "nothing",
        answer: { _ throws(TransportError) in throw .connectionLost(mayHaveBeenProcessed: true) }, status: 503, code: "offline"),
      Fault(
        testDescription: "no network", answer: { _ throws(TransportError) in throw .offline(kind: .notConnected) }, status: 503,
        code: "offline"),
      Fault(
        testDescription: "silence", answer: { _ throws(TransportError) in throw .timedOut(.idle) }, status: 504, code: "timeout"),
    ]
  }

  /// A route with a call that it needs.
  struct Route: Sendable, CustomTestStringConvertible {
    let method: HTTPRequest.Method
    let path: String
    let body: String?
    let needs: String
    /// Whether the cache can answer while there is no network.
    var isKept = false
    let success: Int
    var testDescription: String { path + " needs " + needs }

    static let all = [
      Route(method: .get, path: "/api/account", body: nil, needs: AccountEndpoints.Me.path, isKept: true, success: 200),
      Route(method: .get, path: "/api/profiles", body: nil, needs: AccountEndpoints.Me.path, isKept: true, success: 200),
      Route(
        method: .post, path: "/api/profiles", body: #"{"language_code":"de"}"#, needs: AccountEndpoints.GetOrCreateProfile.path,
        success: 201),
      Route(
        method: .post, path: "/api/profiles", body: #"{"language_code":"de"}"#, needs: AccountEndpoints.Me.path, success: 201),
      Route(
        method: .post, path: "/api/profiles/active", body: #"{"profile_id":"profile-en"}"#,
        needs: AccountEndpoints.SetActiveProfile.path, success: 200),
      Route(
        method: .post, path: "/api/account/language", body: #"{"language_code":"fr"}"#,
        needs: AccountEndpoints.GetOrCreateProfile.path, success: 200),
      Route(
        method: .post, path: "/api/account/language", body: #"{"language_code":"fr"}"#,
        needs: AccountEndpoints.SetActiveProfile.path, success: 200),
      Route(
        method: .post, path: "/api/account/analytics", body: #"{"opted_in":false}"#, needs: AccountEndpoints.Me.path,
        isKept: true, success: 200
      ),
      Route(
        method: .post, path: "/api/account/deletion", body: #"{"confirmation":"DELETE"}"#,
        needs: AccountEndpoints.RequestDeletion.path, success: 202),
    ]
  }

  @Test(arguments: Rounds.pairs(Route.all, Fault.all))
  func theCallerIsToldAndCanTryAgain(route: Route, fault: Fault) async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    harness.backend.on(route.needs, fault.answer)
    let answer = await harness.call(route.method, route.path, route.body, as: caller)
    if route.isKept, fault.testDescription == "no network" {
      #expect(answer.status == route.success)
    } else {
      #expect(answer.status == fault.status && answer.code == fault.code, "\(answer.status) \(answer.code ?? "-")")
    }
    if fault.status == 429 { #expect(answer.json?["retry_after_seconds"]?.int64 == 7) }
    #expect(await harness.call(.get, "/api/state", as: caller).json?["session"]?["state"]?.string == "authenticated")
    harness.backend.on(route.needs, nil)
    harness.pass()
    #expect(await harness.call(route.method, route.path, route.body, as: caller).status == route.success)
  }

  @Test func withoutItsConfigurationTheAccountStillShows() async throws {
    for fault in Fault.all {
      let harness = try await ConsoleHarness()
      let caller = try await harness.signedIn()
      harness.backend.on(AppEndpoints.AppConfig.path, fault.answer)
      #expect(await harness.call(.get, "/api/account", as: caller).status == 200)
    }
  }

  @Test func aRefusedAccessTokenIsNotTheConsolesOwn401() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    harness.backend.on(AccountEndpoints.Me.path) { _ in AccountBackend.error(401, BackendErrorCode.loginCodeInvalid) }
    let answer = await harness.call(.get, "/api/profiles", as: caller)
    #expect(answer.status == 502 && answer.code == "backend_error")
    #expect(await harness.call(.get, "/api/state", as: caller).json?["session"]?["state"]?.string == "authenticated")
  }

  @Test func aRefusalWithANewAccessTokenEndsTheSession() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    harness.backend.on(AccountEndpoints.Me.path) { _ in AccountBackend.error(401, "something_else") }
    let answer = await harness.call(.get, "/api/profiles", as: caller)
    #expect(answer.status == 409 && answer.code == "session_ended")
    let session = await harness.call(.get, "/api/state", as: caller).json?["session"]
    #expect(session?["state"]?.string == "signed_out" && session?["reason"]?.string == "unauthorized")
    #expect(await harness.call(.get, "/api/profiles", as: caller).code == "signed_out")
  }

  @Test func aResponseThatCannotBeReadIsShownByItsRow() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    harness.backend.on(AccountEndpoints.Me.path) { _ in TransportResponse(status: 200, body: Array("<html>".utf8)) }
    let problem = await harness.call(.get, "/api/account", as: caller)
    #expect(problem.code == "unexpected_payload")
    let id = try #require(problem.json?["row_id"]?.string)
    let row = await harness.call(.get, "/api/network/\(id)", as: caller).json
    #expect(row?["endpoint"]?.string == "me" && row?["status"]?.int64 == 200 && row?["state"]?.string == "failure")
    #expect(row?["error"]?.string == "unexpected_payload" && row?["error_detail"]?.string == "the body is not JSON")
    let failed = await harness.call(.get, "/api/network?status=err", as: caller).json?["events"]?.elements ?? []
    #expect(failed.contains { $0["id"]?.string == id && $0["error_detail"]?.string == "the body is not JSON" })
    // An attempt that failed on its way counts too.
    harness.backend.on(AccountEndpoints.Me.path) { _ in AccountBackend.error(503, "unavailable") }
    #expect(await harness.call(.get, "/api/account", as: caller).json?["row_id"]?.string != nil)
    let invalid = await harness.call(.post, "/api/account/language", "{}", as: caller)
    #expect(invalid.status == 400 && invalid.json?["row_id"] == nil)
  }

  @Test(arguments: [
    ("GET", "/api/cues", CueEndpoints.GetCues.path), ("POST", "/api/cues/shuffle", CueEndpoints.ShuffleCues.path),
    ("POST", "/api/session/refresh", AuthEndpoints.RefreshTokens.path),
  ])
  func callOfAnotherTaskIsShownByItsRow(method: String, path: String, needs: String) async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    harness.backend.on(needs) { _ in AccountBackend.error(500, "internal") }
    let method = try #require(HTTPRequest.Method(method))
    let problem = await harness.call(method, path, path.hasSuffix("shuffle") ? "{}" : nil, as: caller)
    #expect(problem.status == 502, "\(problem.code ?? "-")")
    let id = try #require(problem.json?["row_id"]?.string)
    #expect(await harness.call(.get, "/api/network/\(id)", as: caller).json?["path"]?.string == needs)
  }

  @Test func anEndedSessionIsReported() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    harness.backend.on(AccountEndpoints.Me.path) { _ in AccountBackend.error(401, BackendErrorCode.deviceNotRegistered) }
    let answer = await harness.call(.post, "/api/account/language", #"{"language_code":"fr"}"#, as: caller)
    #expect(answer.status == 409 && answer.code == "session_ended")
    #expect(await harness.call(.get, "/api/profiles", as: caller).code == "signed_out")
  }
}
