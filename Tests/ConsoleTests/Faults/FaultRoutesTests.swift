import Client
import HTTPTypes
import JSON
import RPC
import Testing

/// The routes of fault rules, with a scripted backend.
@Suite(.timeLimit(.minutes(2))) struct FaultRoutesTests {
  private func faults(_ harness: ConsoleHarness, _ caller: ConsoleHarness.Caller) async -> [JSONNode] {
    await harness.call(.get, "/api/faults", as: caller).json?["faults"]?.elements ?? []
  }

  private func armed(_ harness: ConsoleHarness, _ caller: ConsoleHarness.Caller) async -> Int64? {
    await harness.call(.get, "/api/state", as: caller).json?["faults"]?["armed"]?.int64
  }

  private func arm(_ harness: ConsoleHarness, _ body: String, as caller: ConsoleHarness.Caller) async throws -> String {
    let answer = await harness.call(.post, "/api/faults", body, as: caller)
    #expect(answer.status == 201, "\(String(decoding: answer.body, as: UTF8.self))")
    return try #require(answer.json?["id"]?.string)
  }

  @Test func aRuleIsArmedActsIsCountedAndRemoved() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    #expect(await armed(harness, caller) == 0)
    let id = try await arm(
      harness,
      #"{"name":"Down","match":{"endpoint":"me"},"when":{"count":9},"action":{"kind":"status","status":503}}"#, as: caller)
    #expect(await armed(harness, caller) == 1)
    let rule = try #require(await faults(harness, caller).first)
    #expect(rule["name"]?.string == "Down" && rule["state"]?.string == "armed" && rule["hits"]?.int64 == 0)
    #expect(rule["expires_at"]?.string != nil && rule["when"]?["count"]?.int64 == 9)
    let failed = await harness.call(.get, "/api/profiles", as: caller)
    #expect(failed.status == 503 && failed.code == "unavailable")
    #expect(await faults(harness, caller).first?["hits"]?.int64 == 3, "one call, three attempts")
    let rows = await harness.call(.get, "/api/network?endpoint=me", as: caller).json?["events"]?.elements ?? []
    #expect(rows.suffix(3).allSatisfy { $0["source"]?.string == "fault" && $0["fault_id"]?.string == id })
    let entries = await harness.timeline(caller).filter { $0["kind"]?.string == "fault" }
    #expect(entries.first?["to"]?.string == "armed" && entries.first?["name"]?.string == id)
    #expect(entries.count { $0["row_id"] != nil } == 3 && entries.last?["reason"]?.string == "unavailable")
    #expect(await harness.call(.delete, "/api/faults/\(id)", as: caller).status == 204)
    #expect(await harness.call(.delete, "/api/faults/\(id)", as: caller).status == 404)
    #expect(await harness.call(.get, "/api/profiles", as: caller).status == 200)
    #expect(await armed(harness, caller) == 0)
    #expect(await harness.timeline(caller).last { $0["kind"]?.string == "fault" }?["to"]?.string == "removed")
  }

  @Test func rulesHaveTheirDefaults() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.caller()
    _ = try await arm(harness, #"{"action":{"kind":"offline"}}"#, as: caller)
    _ = try await arm(harness, #"{"action":{"kind":"offline"},"expires_in_seconds":0}"#, as: caller)
    _ = try await arm(harness, #"{"action":{"kind":"offline"},"when":{"probability":0.5}}"#, as: caller)
    let rules = await faults(harness, caller)
    #expect(rules.map { $0["name"]?.string } == ["offline", "offline", "offline"])
    #expect(rules[0]["expires_at"] != nil && rules[1]["expires_at"] == nil)
    #expect(rules[2]["when"]?["seed"]?.int64 != nil, "a run by chance can be had again")
    // The clock runs on meanwhile, and a busy machine may take a while.
    harness.pass(.seconds(800))
    #expect(await armed(harness, caller) == 3)
    harness.pass(.seconds(100))
    #expect(await armed(harness, caller) == 1)
    #expect(await faults(harness, caller).map { $0["state"]?.string } == ["expired", "armed", "expired"])
    #expect(await harness.call(.delete, "/api/faults", as: caller).status == 204)
    #expect(await faults(harness, caller).isEmpty)
  }

  static let refused: [(String, String?)] = [
    ("{}", "action"), (#"{"action":{}}"#, "action.kind"), (#"{"action":{"kind":"melt"}}"#, "action.kind"),
    (#"{"action":{"kind":7}}"#, "action.kind"), (#"{"action":{"kind":"status","status":200}}"#, "action.status"),
    (#"{"action":{"kind":"status","status":600}}"#, "action.status"),
    (#"{"action":{"kind":"status","status":-1}}"#, "action.status"),
    (#"{"action":{"kind":"status","status":4.5}}"#, nil), (#"{"action":{"kind":"status","status":1e400}}"#, nil),
    (#"{"action":{"kind":"status","status":99999999999999999999}}"#, nil),
    (#"{"action":{"kind":"offline","status":503}}"#, "action.status"),
    (#"{"action":{"kind":"status","code":"a b"}}"#, "action.code"),
    (#"{"action":{"kind":"status","code":""}}"#, "action.code"),
    (#"{"action":{"kind":"offline","code":"x"}}"#, "action.code"),
    (#"{"action":{"kind":"rate_limit","retry_after_seconds":0}}"#, "action.retry_after_seconds"),
    (#"{"action":{"kind":"rate_limit","retry_after_seconds":86401}}"#, "action.retry_after_seconds"),
    (#"{"action":{"kind":"latency"}}"#, "action.latency_ms"),
    (#"{"action":{"kind":"latency","latency_ms":0}}"#, "action.latency_ms"),
    (#"{"action":{"kind":"latency","latency_ms":600001}}"#, "action.latency_ms"),
    (#"{"action":{"kind":"clock_skew"}}"#, "action.skew_seconds"),
    (#"{"action":{"kind":"clock_skew","skew_seconds":0}}"#, "action.skew_seconds"),
    (#"{"action":{"kind":"clock_skew","skew_seconds":9223372036854775807}}"#, "action.skew_seconds"),
    (#"{"action":{"kind":"clock_skew","skew_seconds":60},"match":{"method":"GET"}}"#, "match"),
    (#"{"action":{"kind":"clock_skew","skew_seconds":60},"when":{"skip":1}}"#, "when"),
    (#"{"action":{"kind":"offline"},"when":{"skip":-1}}"#, "when.skip"),
    (#"{"action":{"kind":"offline"},"when":{"count":0}}"#, "when.count"),
    (#"{"action":{"kind":"offline"},"when":{"every":0}}"#, "when.every"),
    (#"{"action":{"kind":"offline"},"when":{"probability":0}}"#, "when.probability"),
    (#"{"action":{"kind":"offline"},"when":{"probability":1.01}}"#, "when.probability"),
    (#"{"action":{"kind":"offline"},"when":{"seed":-1}}"#, nil),
    (#"{"action":{"kind":"offline"},"when":{"seed":9007199254740992}}"#, "when.seed"),
    (#"{"action":{"kind":"offline"},"match":{"method":"get"}}"#, "match.method"),
    (#"{"action":{"kind":"offline"},"match":{"method":"BREW"}}"#, "match.method"),
    (#"{"action":{"kind":"offline"},"match":{"endpoint":""}}"#, "match.endpoint"),
    (#"{"action":{"kind":"offline"},"match":{"endpoint":"a\u0000b"}}"#, "match.endpoint"),
    (#"{"action":{"kind":"offline"},"name":""}"#, "name"), (#"{"action":{"kind":"offline"},"name":"\u202e"}"#, "name"),
    (#"{"action":{"kind":"offline"},"preset":"none"}"#, "preset"),
    (#"{"action":{"kind":"offline"},"expires_in_seconds":-1}"#, "expires_in_seconds"),
    (#"{"action":{"kind":"offline"},"expires_in_seconds":604801}"#, "expires_in_seconds"),
    ("[]", nil), ("{", nil), ("", nil),
  ]

  @Test(arguments: refused)
  func anInvalidRuleIsRefusedAtItsMember(_ body: String, field: String?) async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.caller()
    let answer = await harness.call(.post, "/api/faults", body.isEmpty ? nil : body, as: caller)
    #expect(answer.status == 400 && answer.code == "invalid_request", "\(body)")
    #expect((answer.json?["title"]?.string ?? "").count > 10)
    if let field { #expect(answer.json?["field"]?.string == field, "\(body)") }
    #expect(await faults(harness, caller).isEmpty)
  }

  @Test func aDeviceHasAtMostFiftyRules() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.caller()
    for _ in 0..<48 { _ = try await arm(harness, #"{"action":{"kind":"offline"}}"#, as: caller) }
    let train = await harness.call(.post, "/api/faults/presets/train-wifi", as: caller)
    #expect(train.status == 400, "three rules do not fit, so none is armed")
    #expect(await faults(harness, caller).count == 48)
    for _ in 0..<2 { _ = try await arm(harness, #"{"action":{"kind":"offline"}}"#, as: caller) }
    #expect(await harness.call(.post, "/api/faults", #"{"action":{"kind":"offline"}}"#, as: caller).status == 400)
  }

  @Test func aRuleIsEditedSwitchedAndMoved() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    let first = try await arm(harness, #"{"action":{"kind":"offline"},"when":{"count":1}}"#, as: caller)
    let second = try await arm(harness, #"{"name":"two","action":{"kind":"status"}}"#, as: caller)
    func patch(_ id: String, _ body: String) async -> ConsoleHarness.Answer {
      await harness.call(.patch, "/api/faults/\(id)", body, as: caller)
    }
    #expect(await patch(second, #"{"position":0}"#).status == 200)
    #expect(await faults(harness, caller).map { $0["id"]?.string } == [second, first])
    let off = await patch(second, #"{"armed":false}"#)
    #expect(off.json?["state"]?.string == "off" && off.json?["name"]?.string == "two")
    _ = await harness.call(.get, "/api/profiles", as: caller)
    #expect(await faults(harness, caller).map { $0["state"]?.string } == ["off", "spent"])
    #expect(await patch(first, #"{"armed":true}"#).json?["hits"]?.int64 == 0)
    let edited = await patch(first, #"{"action":{"kind":"latency","latency_ms":5},"expires_in_seconds":0}"#)
    #expect(edited.json?["action"]?["kind"]?.string == "latency" && edited.json?["when"]?["count"]?.int64 == 1)
    #expect(edited.json?["expires_at"] == nil)
    #expect(await armed(harness, caller) == 1)
    let wrong = await patch(first, #"{"action":{"kind":"latency"}}"#)
    #expect(wrong.status == 400 && wrong.json?["field"]?.string == "action.latency_ms")
    #expect(await patch(first, #"{"action":{"kind":"clock_skew","skew_seconds":5},"match":{"method":"GET"}}"#).status == 400)
    #expect(await patch(first, #"{"position":51}"#).json?["field"]?.string == "position")
    #expect(await patch("none", "{}").status == 404)
    #expect(await faults(harness, caller).last?["action"]?["kind"]?.string == "latency", "what was refused changed nothing")
  }

  @Test func theRouteAcceptsEveryPreset() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.caller()
    let presets = await harness.call(.get, "/api/faults/presets", as: caller).json?["presets"]?.elements ?? []
    let ids = presets.compactMap { $0["id"]?.string }
    #expect(Set(ids).count == ids.count && ids.count == FaultPreset.all.count)
    for wanted in [
      "train-wifi", "airplane", "token-expires", "rate-limited", "backend-down", "refresh-revoked", "garbage-json",
    ] { #expect(ids.contains(wanted)) }
    for preset in presets {
      let id = try #require(preset["id"]?.string)
      let armed = await harness.call(.post, "/api/faults/presets/\(id)", as: caller)
      let rules = preset["rules"]?.elements ?? []
      #expect(armed.status == 201 && armed.json?["faults"]?.elements.count == rules.count)
      #expect(armed.json?["faults"]?.elements.allSatisfy { $0["preset"]?.string == id } == true)
      for rule in rules { _ = try await arm(harness, rule.sourceText, as: caller) }
      _ = await harness.call(.delete, "/api/faults", as: caller)
    }
    #expect(await harness.call(.post, "/api/faults/presets/none", as: caller).status == 404)
  }

  @Test func aPreviewCountsTheLatestAttempts() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    for _ in 0..<3 { _ = await harness.call(.get, "/api/account", as: caller) }
    let rows = await harness.call(.get, "/api/network", as: caller).json?["events"]?.elements ?? []
    let asked = rows.filter { $0["source"]?.string != "cache" }
    func preview(_ match: String) async -> [Int64?] {
      let json = await harness.call(.post, "/api/faults/preview", #"{"match":\#(match)}"#, as: caller).json
      return [json?["matched"]?.int64, json?["of"]?.int64]
    }
    let mes = asked.count { $0["endpoint"]?.string == "me" }
    #expect(mes >= 1)
    #expect(await preview(#"{"endpoint":"me"}"#) == [Int64(mes), Int64(asked.count)])
    #expect(await preview(#"{"endpoint":"/rpc/me"}"#) == [Int64(mes), Int64(asked.count)])
    #expect(await preview(#"{"method":"DELETE"}"#) == [0, Int64(asked.count)])
    #expect(await preview("{}") == [Int64(asked.count), Int64(asked.count)])
    let wrong = await harness.call(.post, "/api/faults/preview", #"{"match":{"method":"x"}}"#, as: caller)
    #expect(wrong.status == 400 && wrong.json?["field"]?.string == "match.method")
  }

  @Test func rulesSurviveARelaunchButNotAFactoryReset() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    let id = try await arm(harness, #"{"action":{"kind":"status","status":500},"expires_in_seconds":0}"#, as: caller)
    #expect(await harness.call(.get, "/api/profiles", as: caller).code == "backend_error")
    let hits = await faults(harness, caller).first?["hits"]?.int64
    #expect(await harness.call(.post, "/api/session/relaunch", as: caller).status == 200)
    let kept = try #require(await faults(harness, caller).first)
    #expect(try kept["id"]?.string == id && #require(kept["hits"]?.int64) >= #require(hits))
    #expect(await harness.call(.get, "/api/profiles", as: caller).code == "backend_error")
    #expect(await harness.call(.delete, "/api/device", as: caller).status == 204)
    let next = try await harness.caller()
    #expect(await faults(harness, next).isEmpty)
  }

  @Test func aDevicesRulesAreItsOwn() async throws {
    let harness = try await ConsoleHarness()
    let one = try await harness.signedIn()
    let other = try await harness.signedIn()
    let id = try await arm(harness, #"{"action":{"kind":"offline"}}"#, as: one)
    #expect(await faults(harness, other).isEmpty)
    #expect(await harness.call(.delete, "/api/faults/\(id)", as: other).status == 404)
    #expect(await harness.call(.patch, "/api/faults/\(id)", #"{"armed":false}"#, as: other).status == 404)
    #expect(await harness.call(.get, "/api/profiles", as: other).status == 200)
    #expect(await harness.call(.post, "/api/profiles", #"{"language_code":"de"}"#, as: one).code == "offline")
  }
}
