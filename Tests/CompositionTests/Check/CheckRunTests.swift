import Backend
import Console
import Explain
import Foundation
import ArgumentParser
import HTTPTypes
import Logging
import Observability
import Redaction
import Server
import Support
import Locking
import Testing

@testable import Composition

/// Runs the checks against backends with one fault each: the check for that fault must fail.
@Suite(.timeLimit(.minutes(5)), .serialized) struct CheckRunTests {
  /// A backend with one fault.
  struct Fault: Sendable, CustomTestStringConvertible {
    /// The check that must fail.
    let id: String
    /// The text that its reason must contain.
    let reason: String
    let injection: FaultyBackend.Injection
    /// Other checks that cannot pass.
    var also: Set<String> = []

    var testDescription: String { "\(id): \(reason)" }
  }

  /// What every check depends on.
  static let ground: Set<String> = [
    "app-config", "request-code", "wrong-code", "code-sign-in", "request-link", "foreign-state", "link-sign-in",
  ]

  private static func onAnswer(
    to call: String, _ change: @escaping @Sendable (Response) async -> Response
  ) -> FaultyBackend.Injection {
    FaultyBackend.Injection(answer: { $0 == call ? await change($1) : $1 })
  }

  /// Rejects every call after the first ones.
  private static func refusing(
    _ call: String, after count: Int, _ status: Int, _ code: String
  ) -> FaultyBackend.Injection {
    let calls = CallCount()
    return onAnswer(to: call) { calls.next() > count ? .refusal(status, code) : $0 }
  }

  static let faults: [Fault] = [
    Fault(id: "app-config", reason: "unexpected_payload", injection: onAnswer(to: "GET /rpc/app_config") { $0.with(body: "[]") }),
    Fault(
      id: "app-config", reason: "backend_error",
      injection: onAnswer(to: "GET /rpc/app_config") { _ in .refusal(418, "teapot") }),
    Fault(
      id: "app-config", reason: "default language",
      injection: onAnswer(to: "GET /rpc/app_config") {
        $0.with(body: $0.text.replacing(#""default_language_code":"en""#, with: #""default_language_code":"tlh""#))
      }),
    Fault(
      id: "invalid-identifier", reason: "but it succeeded",
      injection: onAnswer(to: "POST /rpc/request_login_code") {
        $0.status == .badRequest ? $0.with(body: #"{"cooldown_seconds":5,"expires_in_seconds":600}"#, status: 200) : $0
      }),
    Fault(
      id: "rate-limit", reason: "how long",
      injection: onAnswer(to: "POST /rpc/request_login_code") {
        var answer = $0
        answer.headers[.retryAfter] = nil
        return answer
      }),
    Fault(
      id: "rate-limit", reason: "another message was sent",
      injection: onAnswer(to: "POST /rpc/request_login_code") {
        $0.status == .tooManyRequests ? $0.with(body: #"{"cooldown_seconds":5,"expires_in_seconds":600}"#, status: 200) : $0
      }),
    Fault(
      id: "wrong-code", reason: "got account_refused",
      injection: onAnswer(to: "POST /rpc/login_with_code") {
        $0.status == .unauthorized ? .refusal(403, "forbidden") : $0
      }),
    Fault(
      id: "used-link", reason: "got account_refused",
      injection: onAnswer(to: "POST /rpc/login_with_magic_token") {
        $0.status == .unauthorized ? .refusal(423, "locked") : $0
      }),
    Fault(
      id: "cues-browse", reason: "unexpected_payload",
      injection: onAnswer(to: "GET /rpc/get_cues") { $0.with(body: #"{"cues":1}"#) }),
    Fault(
      id: "idempotency", reason: "got a different response",
      injection: FaultyBackend.Injection(request: { request in
        if let key = HTTPField.Name("Idempotency-Key") { request.headers[key] = nil }
      })),
    Fault(
      id: "cue-conflict", reason: "expected 409 conflict",
      injection: onAnswer(to: "POST /rpc/update_cue_stage") { $0.status == .conflict ? .refusal(422, "conflict") : $0 }),
    Fault(
      id: "refresh-lost-answer", reason: "session_ended",
      injection: refusing("POST /rpc/refresh_tokens", after: 1, 401, "refresh_token_reused")),
    Fault(
      id: "stolen-tokens", reason: "expected device_not_registered",
      injection: FaultyBackend.Injection(request: { request in
        if let device = HTTPField.Name("X-Device-ID") { request.headers[device] = "one-device-for-all" }
      })),
    Fault(
      id: "access-expiry", reason: "accepted the expired token",
      // The clock accepts the call but does not advance, which the wait for the link needs as well.
      injection: FaultyBackend.Injection(request: { request in
        if request.path == "/dev/clock" { (request.method, request.path) = (.get, "/dev/limits") }
      }), also: ["request-link"]),
    Fault(
      id: "refresh-reuse", reason: "ended with invalid_token",
      injection: onAnswer(to: "POST /rpc/refresh_tokens") { $0.status == .unauthorized ? .refusal(401, "invalid_token") : $0 }),
    Fault(
      id: "logout", reason: "was not notified", injection: onAnswer(to: "POST /app/api/logout") { _ in .refusal(500, "internal") }
    ),
    Fault(
      id: "deletion", reason: "forbidden",
      injection: onAnswer(to: "POST /rpc/request_account_deletion") { _ in .refusal(403, "forbidden") }),
  ]

  @Test(arguments: faults) func whatIsWrongIsNamedByItsCheck(_ fault: Fault) async throws {
    let bent = try await FaultyBackend.start(fault.injection)
    let report = try await bent.check(Self.ground.union([fault.id, "cooldown"]), ["--allow-deletion"])
    await bent.stop()
    let failed = report.results.filter { $0.outcome.word == "failed" }
    #expect(Set(failed.map(\.id)) == fault.also.union([fault.id]))
    let result = try #require(failed.first { $0.id == fault.id })
    #expect(result.outcome.reason?.contains(fault.reason) == true, "\(result.outcome.reason ?? "")")
    #expect(!report.hasPassed)
    #expect(result.call?.requestID.count == 36)
  }

  @Test func aBackendAsItShouldBePassesEverything() async throws {
    let bent = try await FaultyBackend.start()
    let report = try await bent.check(nil, ["--allow-deletion"])
    await bent.stop()
    for result in report.results where !["bad-signature", "refresh-expiry"].contains(result.id) {
      #expect(result.outcome == .passed, "\(result.id)")
    }
    // The client keeps its promises, and the run shows most of them.
    let promises = report.results.flatMap(\.promises)
    #expect(promises.filter { !$0.kept } == [])
    #expect(Set(promises.map(\.kind)).isSuperset(of: [.backoff, .attemptLimit, .noRepeatedPost, .noStaleToken, .singleRefresh]))
    #expect(report.count("skipped") == 2 && report.results.count == CheckCase.all.count { $0.scope != .file })
  }

  /// A check that passes, and in whose log a client got 429 with `Retry-After: 2` and sent the call again after the seconds.
  private static func retrying(_ id: String, after wait: Double) -> CheckCase {
    CheckCase(id, "account", "The client waits") { context in
      let log = try await context.newDevice().log
      let request = RawRequest(
        method: .get, origin: context.backend.link.origin, path: "/rpc/me",
        endpoint: EndpointTraits(name: "me", isAuthentication: false))
      let start = Date(timeIntervalSince1970: 1_780_000_000)
      for (number, response) in [
        RawResponse(status: 429, headers: [(name: "Retry-After", value: "2")], body: []),
        RawResponse(status: 200, headers: [], body: []),
      ].enumerated() {
        let row = log.begin(
          request,
          of: AttemptOrigin(
            callID: "call", flowID: "flow", flow: "account", attempt: number + 1, startedAt: start + Double(number) * (wait + 0.1)
          ))
        log.finish(
          row,
          with: RawExchange(
            request: request, response: response, timings: NetworkTimings(total: 100), state: number == 0 ? .failure : .success))
      }
    }
  }

  @Test func promiseThatTheClientBrokeFailsItsCheck() async throws {
    let bent = try await FaultyBackend.start()
    let report = try await bent.check(cases: [Self.retrying("patient", after: 2), Self.retrying("naive", after: 1)])
    await bent.stop()
    #expect(!report.hasPassed && report.results.map(\.outcome.word) == ["passed", "failed"])
    let patient = try #require(report.results.first)
    let naive = try #require(report.results.last)
    #expect(patient.promises.count { $0.kind == .retryAfter && $0.kept } == 1 && !patient.promises.contains { !$0.kept })
    // What an earlier check has shown is not shown again.
    let broken = try #require(naive.promises.first { $0.kind == .retryAfter })
    #expect(naive.promises.count { $0.kind == .retryAfter } == 1 && broken.rows.count == 2)
    // A new device has sent something before.
    let sentence = "Asked to wait 2 s by row \(broken.rows[0]), but sent row \(broken.rows[1]) after 1 s"
    #expect(naive.outcome == .failed("the client broke its promise retry_after: \(sentence)"))
    let text = TextReport(isColoured: false)
    #expect(text.footer(report).contains("The client broke 1 of "))
    #expect(text.footer(report).contains("  naive: retry_after: \(sentence)\n"))
    #expect(JUnitReport(report).text.contains("<failure message=\"the client broke its promise retry_after: \(sentence)\""))
  }

  @Test func whatABackendHasNotIsSkippedAndTheRestIsChecked() async throws {
    let features = ["login_code", "analytics_opt_out", "account_deletion", "logout_endpoint", "idempotency_keys"]
    let bent = try await FaultyBackend.start(
      Self.onAnswer(to: "GET /rpc/app_config") { answer in
        answer.with(body: features.reduce(answer.text) { $0.replacing("\"\($1)\":true", with: "\"\($1)\":false") })
      })
    let report = try await bent.check(nil, ["--allow-deletion"])
    await bent.stop()
    #expect(report.hasPassed)
    let skipped = report.results.filter { $0.outcome.word == "skipped" }.map(\.id)
    // Without codes, only one device is signed in, by link.
    #expect(
      Set(skipped) == [
        "bad-signature", "request-code", "cooldown", "rate-limit", "wrong-code", "code-sign-in", "used-code", "analytics",
        "cue-conflict", "idempotency", "refresh-reuse", "after-logout", "deletion", "refresh-expiry",
      ])
  }

  @Test func anAccountIsDeletedByALinkWhereThereAreNoCodes() async throws {
    let bent = try await FaultyBackend.start(
      Self.onAnswer(to: "GET /rpc/app_config") {
        $0.with(body: $0.text.replacing(#""login_code":true"#, with: #""login_code":false"#))
      })
    let report = try await bent.check(
      ["app-config", "request-link", "logout", "after-logout", "deletion"], ["--allow-deletion"])
    await bent.stop()
    #expect(report.results.first { $0.id == "deletion" }?.outcome == .passed)
  }

  @Test func aBackendThatHangsCostsOneLimitAndFailsTheFirstCheck() async throws {
    let bent = try await FaultyBackend.start(
      FaultyBackend.Injection(request: { _ in await untilCancelled() }))
    let driven = DrivenTime()
    async let run = bent.check(nil, ["--timeout", "1"], time: driven.time)
    await driven.waitForSleepers()
    // Nothing else lets time pass, so a second limit would never end.
    driven.advance(by: .seconds(1))
    let report = try await run
    await bent.stop()
    #expect(report.results.first?.outcome == .failed("the check took longer than 1 s"))
    #expect(report.count("failed") == 1 && report.count("passed") == 0)
  }

  @Test func aBackendThatStopsAnsweringCostsThreeLimitsAtMost() async throws {
    let (hanging, hangs) = AsyncStream.makeStream(of: Void.self)
    let bent = try await FaultyBackend.start(
      FaultyBackend.Injection(request: { request in
        guard request.path == "/rpc/me" else { return }
        hangs.yield()
        await untilCancelled()
      }))
    let driven = DrivenTime()
    let run = Task { try await bent.check(nil, ["--timeout", "1"], time: driven.time) }
    let clock = Task {
      // A check is over before the next one calls, so that its limit has passed once.
      for await _ in hanging {
        await driven.waitForSleepers()
        driven.advance(by: .seconds(1))
      }
    }
    let report = try await run.value
    clock.cancel()
    await bent.stop()
    #expect(report.results.count == CheckCase.all.count { $0.scope != .file })
    #expect(report.results.count { $0.outcome == .failed("the check took longer than 1 s") } == 3)
    #expect(report.results.last?.outcome == .skipped("3 checks took longer than 1 s each"))
    #expect(report.results.first { $0.outcome.word == "failed" }?.call?.path == "/rpc/me")
  }

  @Test func noSecretReachesAReportWhateverTheBackendSaysBack() async throws {
    // The sent code is returned as the error code, which the report of a failed check shows.
    let sent = Locked("")
    let echo = FaultyBackend.Injection(
      request: { request in
        guard request.path == "/rpc/login_with_code", let body = try? await request.body.collect(upTo: 1000) else { return }
        request.body = RequestBody(body)
        let code = String(decoding: body, as: UTF8.self).firstMatch(of: /"code":"([0-9]+)"/)?.1
        sent.withLock { $0 = code.map(String.init) ?? "" }
      },
      answer: { call, answer in
        call == "POST /rpc/login_with_code" ? .refusal(400, sent.withLock { $0 }) : answer
      })
    for injection in [FaultyBackend.Injection(), echo] {
      let bent = try await FaultyBackend.start(injection)
      let report = try await bent.check()
      let secrets = await bent.secrets
      await bent.stop()
      #expect(secrets.count > 4)
      let text = TextReport(isColoured: false)
      for written in [
        report.results.map(text.line).joined() + text.footer(report), JSONReport(report).text, JUnitReport(report).text,
      ] {
        for secret in secrets { #expect(!written.contains(secret)) }
      }
    }
  }
}

/// Counts calls.
final class CallCount: Sendable {
  private let count = Locked(0)

  /// The number of this call, starting at 1.
  func next() -> Int {
    count.withLock { count in
      count += 1
      return count
    }
  }
}
