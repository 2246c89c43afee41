import FoundationEssentials
import JSON
import Observability
import Testing

@testable import Client
import Redaction

/// Responses in which one member is dropped, renamed or null.
@Suite struct MangledBodyTests {
  private static let body = Array(
    #"{"account_id":"a","profiles":[{"profile_id":"p","note":"x"},{"profile_id":"q"}],"user":{"user_id":"u","tags":[1,2]}}"#.utf8)

  /// The paths of all members, with the source of each value that is not an object or array.
  private static func members(_ node: JSONNode, _ place: String = "") -> [String: String] {
    var members: [String: String] = [:]
    for (key, value) in node.members {
      members["\(place)/\(key)"] = [.object, .array].contains(value.kind) ? "" : value.sourceText
      members.merge(Self.members(value, "\(place)/\(key)")) { first, _ in first }
    }
    for (index, element) in node.elements.enumerated() {
      members.merge(Self.members(element, "\(place)/\(index)")) { first, _ in first }
    }
    return members
  }

  @Test func oneMemberOfAnyDepthIsDroppedRenamedOrNull() throws {
    let before = Self.members(try JSONDocument(parsing: Self.body).root)
    var dropped: Set<String> = []
    var renamed: Set<String> = []
    var cleared: Set<String> = []
    for seed in 0..<2000 {
      let mangled = MangledBody.mangle(Self.body, seed: UInt64(seed))
      #expect(mangled == MangledBody.mangle(Self.body, seed: UInt64(seed)), "the same seed does the same")
      let after = Self.members(try JSONDocument(parsing: mangled).root)
      let gone = Set(before.keys).subtracting(after.keys)
      let new = Set(after.keys).subtracting(before.keys)
      let null = after.filter { $0.value == "null" }.keys
      let top = gone.filter { path in !gone.contains { path.hasPrefix("\($0)/") } }
      if let path = null.first {
        #expect(null.count == 1 && new.isEmpty)
        cleared.insert(path)
      } else if let path = top.first {
        #expect(top.count == 1)
        if new.isEmpty { dropped.insert(path) } else { renamed.formUnion(new.filter { $0.hasSuffix("Id") }) }
      } else {
        Issue.record("nothing changed with seed \(seed)")
      }
    }
    #expect(dropped == Set(before.keys) && cleared == Set(before.keys))
    #expect(renamed == ["/accountId", "/profiles/0/profileId", "/profiles/1/profileId", "/user/userId"])
  }

  @Test(arguments: ["", "[]", "[1,[2]]", "\"a\"", "{}", "not json", #"{"a":"#]) func whatHasNoMembersStaysAsItIs(text: String) {
    for seed in 0..<20 { #expect(MangledBody.mangle(Array(text.utf8), seed: UInt64(seed)) == Array(text.utf8)) }
  }

  @Test func aNameThatIsTakenIsNotUsedTwice() throws {
    for seed in 0..<100 {
      let mangled = MangledBody.mangle(Array(#"{"a_b":1,"aB":2}"#.utf8), seed: UInt64(seed))
      #expect(throws: Never.self) { try JSONDocument(parsing: mangled) }
    }
  }

  // MARK: As a rule

  @Test func aRuleMangledTheSameWayEachRun() throws {
    func outcomes(_ seed: UInt64) -> [FaultDecision.Outcome?] {
      var plan = FaultPlan()
      let moment = FaultPlan.Moment(monotonic: .now, wall: Date(timeIntervalSince1970: 0))
      let rule = FaultRule(name: "r", when: .init(probability: 0.5, seed: seed), action: .init(.mangleFields))
      _ = plan.arm(rule, id: "r", at: moment)
      let attempt = FaultAttempt(method: "GET", endpoint: "me", path: "/rpc/me", isAuthorized: true)
      return (0..<40).map { _ in plan.decide(attempt, at: moment.monotonic)?.outcome }
    }
    #expect(outcomes(7) == outcomes(7) && outcomes(7) != outcomes(8))
    let seeds = Set(outcomes(7).compactMap { $0 })
    #expect(seeds.count > 10, "each time another member")
    #expect(outcomes(7).contains(nil), "and not every time")
  }

  @Test func theBackendIsAskedAndTheRowSaysWhatTheClientSaw() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    FaultChainTests.arm(harness, [FaultRule(name: "r", when: .init(count: 1), action: .init(.mangleFields))])
    _ = await harness.me()
    let row = try #require(harness.log.rows().events.last { $0.endpoint == "me" })
    #expect(row.source == .fault && row.status == 200 && row.faultID == "mangle_fields")
    #expect(harness.backend.requests("/rpc/me").count == 1)
    let shown = try #require(harness.log.detail(id: row.id)?.response?.body)
    _ = await harness.me()
    let plain = try #require(harness.log.rows().events.last { $0.endpoint == "me" })
    #expect(plain.source != .fault)
    #expect(shown != harness.log.detail(id: plain.id)?.response?.body)
  }
}
