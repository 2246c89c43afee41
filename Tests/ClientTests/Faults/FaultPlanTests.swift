import FoundationEssentials
import JSON
import Observability
import Testing

@testable import Client

/// The plan as a value: conditions, order, expiry, counting and probability, without clock or client.
@Suite struct FaultPlanTests {
  static let start = ContinuousClock().now
  static let moment = FaultPlan.Moment(monotonic: start, wall: Date(timeIntervalSince1970: 0))
  static let me = FaultAttempt(method: "GET", endpoint: "me", path: "/rpc/me", isAuthorized: true)
  static let move = FaultAttempt(method: "POST", endpoint: "update_cue_stage", path: "/rpc/update_cue_stage", isAuthorized: true)
  static let login = FaultAttempt(method: "POST", endpoint: "login_with_code", path: "/rpc/login_with_code", isAuthorized: false)
  static let refresh = FaultAttempt(method: "POST", endpoint: "refresh_tokens", path: "/rpc/refresh_tokens", isAuthorized: false)

  /// A plan with these rules, whose ids are their indexes.
  static func plan(_ rules: [FaultRule], seconds: Int = 900) -> FaultPlan {
    var plan = FaultPlan()
    for (index, rule) in rules.enumerated() { _ = plan.arm(rule.lasting(seconds), id: "\(index)", at: moment) }
    return plan
  }

  static func rule(
    _ kind: FaultKind, match: FaultRule.Match = .init(), when: FaultRule.When = .init(), latency: Int? = nil, skew: Int? = nil
  ) -> FaultRule {
    FaultRule(name: "r", match: match, when: when, action: .init(kind, latencyMilliseconds: latency, skewSeconds: skew))
  }

  /// The attempts, out of `count`, to which the plan's rules apply.
  static func turns(_ plan: inout FaultPlan, of count: Int, _ attempt: FaultAttempt = me) -> [Int] {
    (1...count).filter { _ in plan.decide(attempt, at: start) != nil }
  }

  /// A change that is taken back leaves what the other rules have counted, before and after it.
  @Test func aChangeIsTakenBackAlone() throws {
    var plan = Self.plan([Self.rule(.offline, when: .init(count: 3)), Self.rule(.timeout)])
    let before = plan.entries
    #expect(Self.turns(&plan, of: 1) == [1])
    let isRemoved = plan.remove(id: "1")
    let added = plan.arm(Self.rule(.offline).lasting(9), id: "2", at: Self.moment)
    #expect(isRemoved && added != nil)
    let after = plan.entries
    #expect(Self.turns(&plan, of: 1) == [1])
    plan.takeBack(from: before, to: after)
    #expect(plan.entries.map(\.id) == ["0", "1"] && plan.entry(id: "0")?.progress.hits == 2)
    let armed = plan.entries
    var change = FaultChange()
    change.isArmed = false
    _ = plan.change(id: "0", change, at: Self.moment)
    #expect(plan.entry(id: "0")?.state(at: Self.start) == .off)
    plan.takeBack(from: armed, to: plan.entries)
    #expect(plan.entry(id: "0")?.state(at: Self.start) == .armed && plan.entry(id: "0")?.progress.hits == 2)
  }

  @Test func aPlanWithoutRulesDecidesNothing() {
    var plan = FaultPlan()
    #expect(plan.decide(Self.me, at: Self.start) == nil)
    #expect(plan.armedCount(at: Self.start) == 0 && plan.nextExpiry(after: Self.start) == nil)
  }

  @Test(
    arguments: [
      (FaultRule.Match(), [true, true, true]), (.init(method: "POST"), [false, true, true]),
      (.init(endpoint: "me"), [true, false, false]), (.init(endpoint: "/rpc/me"), [true, false, false]),
      (.init(method: "POST", endpoint: "update_cue_stage"), [false, true, false]),
      (.init(method: "GET", endpoint: "update_cue_stage"), [false, false, false]), (.init(endpoint: "m"), [false, false, false]),
    ])
  func aMatchIsByMethodAndByNameOrPath(match: FaultRule.Match, expected: [Bool]) {
    var plan = Self.plan([Self.rule(.offline, match: match)])
    #expect([Self.me, Self.move, Self.login].map { plan.decide($0, at: Self.start) != nil } == expected)
  }

  @Test(
    arguments: [
      (FaultRule.When(), [1, 2, 3, 4, 5, 6, 7, 8]), (.init(skip: 3), [4, 5, 6, 7, 8]), (.init(every: 2), [2, 4, 6, 8]),
      (.init(count: 2), [1, 2]), (.init(skip: 1, every: 3), [4, 7]), (.init(skip: 2, every: 2, count: 2), [4, 6]),
      (.init(skip: 100), []), (.init(probability: 1, seed: 9), [1, 2, 3, 4, 5, 6, 7, 8]),
    ])
  func conditionsSayWhichOnes(when: FaultRule.When, expected: [Int]) {
    var plan = Self.plan([Self.rule(.offline, when: when)])
    #expect(Self.turns(&plan, of: 8) == expected)
    #expect(plan.entries[0].progress.hits == expected.count)
  }

  @Test func whatDoesNotMatchIsNotCounted() {
    var plan = Self.plan([Self.rule(.offline, match: .init(method: "POST"), when: .init(skip: 1, count: 1))])
    #expect(Self.turns(&plan, of: 5, Self.me).isEmpty)
    #expect(Self.turns(&plan, of: 3, Self.move) == [2])
    #expect(plan.entries[0].state(at: Self.start) == .spent)
  }

  @Test func theFirstMatchDecidesAndLatencyAdds() throws {
    var plan = Self.plan([
      Self.rule(.latency, latency: 100), Self.rule(.status, match: .init(method: "POST"), latency: 20),
      Self.rule(.latency, latency: 3000), Self.rule(.offline), Self.rule(.latency, latency: 7),
    ])
    let first = plan.decide(Self.move, at: Self.start)
    let post = try #require(first)
    #expect(post.latency == .milliseconds(120) && post.ruleIDs == ["0", "1"])
    #expect(post.outcome == .answer(FaultResponse(status: 503, code: "unavailable")))
    #expect(post.attribution == FaultAttribution(ruleID: "1", fault: RowFault(name: "r", action: "status"), source: .fault))
    let second = plan.decide(Self.me, at: Self.start)
    let get = try #require(second)
    #expect(get.latency == .milliseconds(3100) && get.outcome == .fail(.offline(kind: .notConnected)))
    #expect(get.ruleIDs == ["0", "2", "3"])
    #expect(plan.entries.map(\.progress.hits) == [2, 1, 1, 1, 0], "a rule after the one that decided does not apply")
  }

  @Test func aRuleThatLetsAnAttemptThroughLeavesItToTheNext() {
    var plan = Self.plan([Self.rule(.offline, when: .init(every: 2)), Self.rule(.reset)])
    let outcomes = (1...4).map { _ in plan.decide(Self.me, at: Self.start)?.outcome }
    let offline = FaultDecision.Outcome.fail(.offline(kind: .notConnected))
    #expect(outcomes == [.dropResponse, offline, .dropResponse, offline])
  }

  @Test func latencyAndClockAloneLeaveTheAnswerToTheBackend() throws {
    var plan = Self.plan([Self.rule(.clockSkew, skew: -600), Self.rule(.latency, latency: 5), Self.rule(.clockSkew, skew: 9)])
    let made = plan.decide(Self.me, at: Self.start)
    let decision = try #require(made)
    #expect(decision.outcome == nil && decision.skewSeconds == -600 && decision.latency == .milliseconds(5))
    #expect(decision.attribution == FaultAttribution(ruleID: "0", fault: RowFault(name: "r", action: "clock_skew"), source: nil))
    #expect(plan.skewSeconds(at: Self.start) == -600)
  }

  @Test(
    arguments: [
      (FaultKind.expireAccessToken, [true, true, false, false]), (.revokeRefreshToken, [false, false, false, true]),
      (.unregisterDevice, [true, true, false, true]), (.offline, [true, true, true, true]),
      (.storageFull, Array(repeating: false, count: 4)),
    ])
  func aKindIsAboutTheCallsThatItCanMeet(kind: FaultKind, expected: [Bool]) {
    let attempts = [Self.me, Self.move, Self.login, Self.refresh]
    #expect(
      attempts.map { attempt in
        var plan = Self.plan([Self.rule(kind)])
        return plan.decide(attempt, at: Self.start) != nil
      } == expected)
  }

  @Test(
    arguments: [
      (FaultRule.Action(.status), FaultDecision.Outcome.answer(.init(status: 503, code: "unavailable"))),
      (.init(.status, status: 500), .answer(.init(status: 500, code: "internal"))),
      (.init(.status, status: 401, code: "invalid_signature"), .answer(.init(status: 401, code: "invalid_signature"))),
      (
        .init(.status, status: 429, retryAfterSeconds: 7),
        .answer(.init(status: 429, code: "too_many_attempts", retryAfterSeconds: 7))
      ),
      (.init(.rateLimit), .answer(.init(status: 429, code: "too_many_attempts", retryAfterSeconds: 30))),
      (.init(.rateLimit, retryAfterSeconds: 5), .answer(.init(status: 429, code: "too_many_attempts", retryAfterSeconds: 5))),
      (.init(.offline), .fail(.offline(kind: .notConnected))), (.init(.timeout), .stall(nil)),
      (.init(.timeout, latencyMilliseconds: 40), .stall(.milliseconds(40))), (.init(.reset), .dropResponse),
      (.init(.malformedBody), .truncateResponse), (.init(.answer), .written(.init(.answer))),
      (.init(.answer, status: 418), .written(.init(.answer, status: 418))),
      // The first number of the generator whose seed is 0.
      (.init(.mangleFields), .mangleResponse(seed: 16_294_208_416_658_607_535)),
      (.init(.expireAccessToken), .answer(.init(status: 401, code: "ErrAccessTokenExpired"))),
      (.init(.unregisterDevice), .answer(.init(status: 401, code: "ErrDeviceNotRegistered"))),
      (.init(.pinMismatch), .fail(.pinMismatch(presented: []))), (.init(.tlsFailure), .fail(.tls("a fault rule"))),
    ])
  func eachKindHasItsOutcome(action: FaultRule.Action, expected: FaultDecision.Outcome) {
    var plan = Self.plan([FaultRule(name: "r", action: action)])
    #expect(plan.decide(Self.me, at: Self.start)?.outcome == expected)
  }

  @Test(arguments: [(nil, "invalid_token"), ("ErrRefreshTokenExpired", "ErrRefreshTokenExpired")])
  func aRevokedTokenIsRefusedAsItsRuleSays(code: String?, expected: String) {
    var plan = Self.plan([FaultRule(name: "r", action: .init(.revokeRefreshToken, code: code))])
    #expect(plan.decide(Self.refresh, at: Self.start)?.outcome == .answer(.init(status: 401, code: expected)))
  }

  @Test func anExpiredTokenIsMetOnceUnlessItIsSaidOtherwise() {
    var once = Self.plan([Self.rule(.expireAccessToken)])
    #expect(Self.turns(&once, of: 4) == [1])
    var thrice = Self.plan([Self.rule(.expireAccessToken, when: .init(count: 3))])
    #expect(Self.turns(&thrice, of: 4) == [1, 2, 3])
  }

  @Test func aFullDiskIsMetWhereTokensAreWritten() {
    var plan = Self.plan([Self.rule(.storageFull, when: .init(skip: 1, count: 1))])
    #expect((1...3).map { _ in plan.refuseStorage(at: Self.start) } == [nil, "0", nil])
    var other = Self.plan([Self.rule(.offline)])
    #expect(other.refuseStorage(at: Self.start) == nil)
  }

  // MARK: Chance

  @Test func theSameSeedMakesTheSameDecisions() {
    func turns(_ seed: UInt64) -> [Int] {
      var plan = Self.plan([Self.rule(.offline, when: .init(probability: 0.5, seed: seed))])
      return Self.turns(&plan, of: 200)
    }
    #expect(turns(7) == turns(7))
    #expect(turns(7) != turns(8))
    #expect((60...140).contains(turns(7).count))
  }

  @Test func theSequenceIsThatOfThePaper() {
    var generator = SplitMix64(seed: 1_234_567)
    // Published with the reference implementation in C.
    #expect(
      (1...3).map { _ in generator.next() } == [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423])
    var unit = SplitMix64(seed: 3)
    #expect((1...10_000).allSatisfy { _ in (0..<1).contains(unit.unit()) })
  }

  // MARK: Time

  @Test func aRuleExpiresOnTheMonotonicClock() throws {
    var plan = Self.plan([Self.rule(.offline)], seconds: 60)
    let end = Self.start + .seconds(60)
    #expect(plan.nextExpiry(after: Self.start) == end && plan.entries[0].progress.expiresAt == Date(timeIntervalSince1970: 60))
    let decisions = [end - .nanoseconds(1), end].map { plan.decide(Self.me, at: $0) != nil }
    #expect(decisions == [true, false])
    #expect(plan.entries[0].state(at: end) == .expired && plan.entries[0].progress.hits == 1)
    #expect(plan.armedCount(at: end) == 0 && plan.nextExpiry(after: end) == nil)
  }

  @Test func zeroSecondsAreForEver() {
    var plan = Self.plan([Self.rule(.offline)], seconds: 0)
    #expect(plan.entries[0].progress.expiresAt == nil && plan.nextExpiry(after: Self.start) == nil)
    #expect(plan.decide(Self.me, at: Self.start + .seconds(1_000_000_000)) != nil)
  }

  // MARK: Saving

  @Test func rulesOfEarlierVersionsAreRead() throws {
    let saved = """
      [{"answer":{"body":"hi","headers":[{"name":"Allow","value":"GET"}],"status":418},"armed_at":"1970-01-01T00:00:00.000Z",\
      "body":"{}","count":9,"endpoint":"me","every":1,"expires_at":"1970-01-01T00:01:00.000Z","hits":2,"id":"1","is_off":false,\
      "kind":"answer","latency_milliseconds":5,"lifetime":60,"method":"GET","name":"Mine","path":"/rpc/me","preset":"p",\
      "probability":0.5,"query":"q","random":"18446744073709551615","seed":"7","seen":4,"skip":1},\
      {"armed_at":"1970-01-01T00:00:00.000Z","hits":0,"id":"2","is_off":true,"kind":"status","lifetime":0,"name":"Off","random":"0",\
      "retry_after_seconds":3,"seen":0,"status":503}]
      """
    let entries = try JSONCoding.decode([FaultEntry].self, from: Array(saved.utf8), keys: .snakeCase)
    let plan = FaultPlan(entries, at: .init(monotonic: Self.start, wall: Date(timeIntervalSince1970: 59)))
    try #require(plan.entries.map(\.id) == ["1", "2"])
    let answer = FaultRule(
      name: "Mine", preset: "p",
      match: .init(method: "GET", endpoint: "me", path: FaultText("/rpc/me"), query: FaultText("q"), body: FaultText("{}")),
      when: .init(skip: 1, every: 1, count: 9, probability: 0.5, seed: 7),
      action: .init(
        .answer, status: 418, latencyMilliseconds: 5, headers: [.init(name: "Allow", value: FaultText("GET"))],
        body: FaultText("hi")), lifetime: 60)
    #expect(plan.entries[0].rule == answer && plan.entries[0].progress.hits == 2)
    #expect(plan.entries[0].state(at: Self.start) == .armed && plan.entries[0].state(at: Self.start + .seconds(1)) == .expired)
    #expect(
      plan.entries[1].rule == FaultRule(name: "Off", action: .init(.status, status: 503, retryAfterSeconds: 3), lifetime: 0))
    #expect(plan.entries[1].state(at: Self.start) == .off)
    let again = try JSONCoding.decode(
      [FaultEntry].self, from: JSONCoding.encode(plan.entries, keys: .snakeCase), keys: .snakeCase)
    #expect(FaultPlan(again, at: .init(monotonic: Self.start, wall: Date(timeIntervalSince1970: 59))).entries == plan.entries)
  }

  // MARK: Changing

  private static func change(
    _ plan: inout FaultPlan, _ id: String, _ change: FaultChange, at moment: FaultPlan.Moment = moment
  ) -> Bool { plan.change(id: id, change, at: moment) }

  /// Creates a change with a closure.
  private func change(_ body: (inout FaultChange) -> Void) -> FaultChange {
    var change = FaultChange()
    body(&change)
    return change
  }

  @Test func switchingOffAndOnBeginsFromNothing() {
    var plan = Self.plan([Self.rule(.offline, when: .init(count: 1))], seconds: 60)
    #expect(Self.turns(&plan, of: 2) == [1])
    #expect(Self.change(&plan, "0", change { $0.isArmed = false }))
    #expect(plan.entries[0].state(at: Self.start) == .off && plan.entries[0].progress.hits == 1)
    let later = FaultPlan.Moment(monotonic: Self.start + .seconds(100), wall: Date(timeIntervalSince1970: 100))
    #expect(Self.change(&plan, "0", change { $0.isArmed = true }, at: later))
    #expect(plan.entries[0].progress.hits == 0 && plan.entries[0].progress.armedAt == later.wall)
    #expect(plan.entries[0].progress.expiry == later.monotonic + .seconds(60))
    #expect(plan.decide(Self.me, at: later.monotonic) != nil)
  }

  @Test func anEditBeginsFromNothingAndANameDoesNot() {
    var rule = Self.rule(.offline)
    rule.preset = "airplane"
    var plan = Self.plan([rule])
    _ = Self.turns(&plan, of: 3)
    #expect(Self.change(&plan, "0", change { $0.name = "n" }))
    #expect(plan.entries[0].progress.hits == 3 && plan.entries[0].rule.preset == "airplane")
    #expect(Self.change(&plan, "0", change { $0.action = .init(.reset) }))
    #expect(plan.entries[0].progress.hits == 0 && plan.entries[0].rule.preset == nil && plan.entries[0].rule.name == "n")
    #expect(plan.decide(Self.me, at: Self.start)?.outcome == .dropResponse)
  }

  @Test func aRuleIsMovedWhereItIsWanted() {
    var plan = Self.plan([Self.rule(.offline), Self.rule(.reset), Self.rule(.pinMismatch)])
    #expect(Self.change(&plan, "2", change { $0.position = 0 }))
    #expect(plan.entries.map(\.id) == ["2", "0", "1"])
    #expect(plan.decide(Self.me, at: Self.start)?.outcome == .fail(.pinMismatch(presented: [])))
    #expect(Self.change(&plan, "2", change { $0.position = 50 }))
    #expect(plan.entries.map(\.id) == ["0", "1", "2"])
    #expect(!Self.change(&plan, "x", FaultChange()))
  }

  @Test func aPlanIsBounded() {
    var plan = Self.plan(Array(repeating: Self.rule(.offline), count: FaultPlan.limit))
    #expect(plan.arm(Self.rule(.offline), id: "x", at: Self.moment) == nil)
    let removals = (1...2).map { _ in plan.remove(id: "3") }
    #expect(removals == [true, false])
    #expect(plan.arm(Self.rule(.offline), id: "x", at: Self.moment) != nil)
    plan.removeAll()
    #expect(plan.entries.isEmpty)
  }
}

extension FaultRule {
  /// The rule with another lifetime, in seconds.
  func lasting(_ seconds: Int) -> FaultRule {
    var rule = self
    rule.lifetime = seconds
    return rule
  }
}
