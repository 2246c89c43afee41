import Explain
import JSON
import Testing

/// The promises of the client: a good client's log keeps each, and a naive client's breaks it.
@Suite(.timeLimit(.minutes(1))) struct ClientPromiseTests {
  /// A request of the client, `at` seconds after the start of the log, which takes 0.1 s.
  private static func send(
    _ number: Int, at: Double, call: String, attempt: Int = 1, _ method: String = "GET", _ path: String = "/feed",
    token: String? = "access-one-1", status: Int?, answer: String = "{}", wait: String? = nil, key: String? = nil,
    body: String = "",
    parent: Int? = nil, purpose: Exchange.Attempt.Purpose = .other, fault: String? = nil, failure: String? = nil,
    takes: Double = 0.1, isLaunch: Bool = false
  ) -> Exchange {
    var fields = [(name: "User-Agent", value: "App/1")]
    if let token { fields.append((name: "Authorization", value: "Bearer \(token)")) }
    if let key { fields.append((name: "Idempotency-Key", value: key)) }
    let headers = wait.map { [(name: "Retry-After", value: $0)] } ?? []
    var exchange = Exchange(
      number: number, start: Int64(1_780_000_000_000 + at * 1000), duration: takes * 1000, method: method,
      url: "https://api.example.com" + path, headers: fields, body: Array(body.utf8),
      response: status.map { Exchange.Response(status: $0, headers: headers, body: Array(answer.utf8)) }, failure: failure)
    exchange.attempt = Exchange.Attempt(
      row: "row-\(number)", parent: parent.map { "row-\($0)" }, call: call, number: attempt, purpose: purpose, isLaunch: isLaunch,
      isOffline: failure == "offline", faultID: fault)
    return exchange
  }

  private static func signIn(_ number: Int = 1, at: Double = 0, _ tokens: String = "one-1") -> Exchange {
    send(
      number, at: at, call: "sign-in-\(number)", "POST", "/login", token: nil, status: 200, answer: answer(tokens),
      body: #"{"user":"a","password":"b"}"#)
  }

  private static func refresh(
    _ number: Int, at: Double, _ token: String, gives: String? = nil, status: Int? = 200, parent: Int? = nil, call: String? = nil,
    attempt: Int = 1, takes: Double = 0.1, isLaunch: Bool = false
  ) -> Exchange {
    send(
      number, at: at, call: call ?? "refresh-\(number)", attempt: attempt, "POST", "/auth/refresh", token: nil, status: status,
      answer: gives.map(answer) ?? #"{"error":{"code":"invalid_grant"}}"#, body: #"{"refresh_token":"refresh-\#(token)"}"#,
      parent: parent, purpose: .refresh, takes: takes, isLaunch: isLaunch)
  }

  private static func answer(_ tokens: String) -> String {
    #"{"access_token":"access-\#(tokens)","refresh_token":"refresh-\#(tokens)","expires_in":900}"#
  }

  private static let expired = #"{"error":{"code":"ErrAccessTokenExpired"}}"#

  private func promises(_ exchanges: [Exchange]) -> [ClientPromise] {
    var explainer = Explainer()
    for exchange in exchanges { explainer.add(exchange) }
    return explainer.promises(RetryPromise())
  }

  /// The kind, the outcome and the rows of each.
  private func judged(_ exchanges: [Exchange], _ kind: ClientPromise.Kind) -> [String] {
    promises(exchanges).filter { $0.kind == kind }.map { "\($0.kept) \($0.rows)" }
  }

  private func broken(_ exchanges: [Exchange]) -> [ClientPromise] { promises(exchanges).filter { !$0.kept } }

  /// Everything that the log shows is as promised.
  private func expectKept(_ exchanges: [Exchange], _ kind: ClientPromise.Kind, sourceLocation: SourceLocation = #_sourceLocation)
  {
    let all = promises(exchanges)
    #expect(all.contains { $0.kind == kind }, sourceLocation: sourceLocation)
    #expect(broken(exchanges) == [], sourceLocation: sourceLocation)
  }

  // MARK: Retry-After

  private static func limited(wait: String, after gap: Double, fault: String? = nil) -> [Exchange] {
    [
      send(1, at: 0, call: "a", status: 429, wait: wait, fault: fault),
      send(2, at: 0.1 + gap, call: "a", attempt: 2, status: 200),
    ]
  }

  @Test func askedWaitIsWaited() throws {
    let log = Self.limited(wait: "2", after: 2.1, fault: "rule")
    expectKept(log, .retryAfter)
    let promise = try #require(promises(log).first { $0.kind == .retryAfter })
    #expect(promise.promised == .span(2000) && promise.measured == .span(2100) && promise.faultID == "rule")
    #expect(promise.say == "Asked to wait 2 s, waited 2.1 s" && promise.rows == [1, 2])
    // However late a busy machine is.
    expectKept(Self.limited(wait: "1", after: 60), .retryAfter)
  }

  @Test func earlyAttemptBreaksRetryAfter() {
    #expect(judged(Self.limited(wait: "2", after: 1), .retryAfter) == ["false [1, 2]"])
    // One pause can be shorter by a tenth.
    #expect(judged(Self.limited(wait: "2", after: 1.8), .retryAfter) == ["true [1, 2]"])
    #expect(judged(Self.limited(wait: "2", after: 1.75), .retryAfter) == ["false [1, 2]"])
    #expect(
      broken(Self.limited(wait: "2", after: 1)).first?.say == "Asked to wait 2 s by row 1, but sent row 2 after 1 s")
  }

  @Test func longWaitIsNotWaitedAndNothingIsSentBeforeItsEnd() {
    expectKept([Self.send(1, at: 0, call: "a", status: 429, wait: "30")], .retryAfter)
    #expect(judged(Self.limited(wait: "30", after: 2), .retryAfter) == ["false [1, 2]"])
    // Another call is not held back, and a short wait is not over before the next attempt.
    expectKept(
      [Self.send(1, at: 0, call: "a", status: 429, wait: "30"), Self.send(2, at: 1, call: "b", status: 200)], .retryAfter)
    #expect(promises([Self.send(1, at: 0, call: "a", status: 429, wait: "1")]).isEmpty)
    // A wait beside a rejected token is none.
    #expect(judged([Self.send(1, at: 0, call: "a", status: 401, wait: "5")], .retryAfter) == [])
  }

  // MARK: Back-off

  private static func failing(gaps: [Double]) -> [Exchange] {
    var at = 0.0
    var log = [send(1, at: at, call: "a", status: 503)]
    for (index, gap) in gaps.enumerated() {
      at += 0.1 + gap
      log.append(send(index + 2, at: at, call: "a", attempt: index + 2, status: 503))
    }
    return log
  }

  @Test func pausesOfOneAndTwoSecondsAreKept() {
    expectKept(Self.failing(gaps: [0.9, 1.8]), .backoff)
    expectKept(Self.failing(gaps: [1.1, 2.2]), .backoff)
    // Late is not early.
    expectKept(Self.failing(gaps: [7, 19]), .backoff)
  }

  @Test func shorterPausesBreakTheBackoff() {
    #expect(judged(Self.failing(gaps: [0.2, 2]), .backoff) == ["false [1, 2]", "true [2, 3]"])
    #expect(judged(Self.failing(gaps: [1, 1]), .backoff) == ["true [1, 2]", "false [2, 3]"])
    #expect(broken(Self.failing(gaps: [0.2])).first?.say == "Waited only 200 ms before the attempt in row 2, instead of 1 s")
  }

  @Test func whatIsNoRetryNeedsNoPause() {
    // A replay with a new token, and a refresh whose answer got lost.
    let log = [
      Self.signIn(), Self.send(2, at: 1, call: "a", status: 401, answer: Self.expired),
      Self.refresh(3, at: 1.2, "one-1", status: nil, parent: 2, call: "r"),
      Self.refresh(4, at: 1.3, "one-1", gives: "two-2", parent: 2, call: "r", attempt: 2),
      Self.send(5, at: 1.5, call: "a", attempt: 2, token: "access-two-2", status: 200),
    ]
    #expect(judged(log, .backoff) == [] && broken(log).isEmpty)
    // What was never sent is no attempt.
    let offline = [
      Self.send(1, at: 0, call: "a", status: nil, failure: "offline"),
      Self.send(2, at: 0.1, call: "a", attempt: 2, status: 200),
    ]
    #expect(judged(offline, .backoff) == [] && judged(offline, .attemptLimit) == [])
  }

  @Test func fourthAttemptBreaksTheLimit() {
    #expect(judged(Self.failing(gaps: [1, 2]), .attemptLimit) == ["true [1, 2, 3]"])
    #expect(judged(Self.failing(gaps: [1, 2, 4]), .attemptLimit) == ["false [1, 2, 3, 4]"])
    let promise = promises(Self.failing(gaps: [1, 2, 4])).first { $0.kind == .attemptLimit }
    #expect(
      promise?.promised == .count(3) && promise?.measured == .count(4) && promise?.say == "Attempts: 4 instead of at most 3")
  }

  // MARK: POST

  private static func posts(_ status: Int?, key: String? = nil) -> [Exchange] {
    [
      send(1, at: 0, call: "a", "POST", "/orders", status: status, key: key),
      send(2, at: 1.1, call: "a", attempt: 2, "POST", "/orders", status: 200, key: key),
    ]
  }

  @Test func postIsSentOnceWithoutKey() {
    for status in [nil, 503] {
      expectKept([Self.send(1, at: 0, call: "a", "POST", "/orders", status: status)], .noRepeatedPost)
      #expect(judged(Self.posts(status), .noRepeatedPost) == ["false [1, 2]"])
      expectKept(Self.posts(status, key: "k"), .noRepeatedPost)
    }
    #expect(
      promises(Self.posts(503)).first { !$0.kept }?.say == "Sent POST /orders again in row 2 without an Idempotency-Key")
  }

  @Test func postThatDidNothingIsSentAgain() {
    // Rejected for its token, and never sent.
    #expect(judged(Self.posts(401), .noRepeatedPost) == [])
    let unsent = [
      Self.send(1, at: 0, call: "a", "POST", "/orders", status: nil, failure: "offline"),
      Self.send(2, at: 1.1, call: "a", attempt: 2, "POST", "/orders", status: 200),
    ]
    #expect(judged(unsent, .noRepeatedPost) == [])
  }

  // MARK: Refresh

  @Test func oneRefreshServesAllRejectedRequests() {
    let log = [
      Self.signIn(), Self.send(2, at: 1, call: "a", status: 401, answer: Self.expired),
      Self.send(3, at: 1.05, call: "b", status: 401, answer: Self.expired),
      Self.refresh(4, at: 1.2, "one-1", gives: "two-2", parent: 2),
      Self.send(5, at: 1.4, call: "a", attempt: 2, token: "access-two-2", status: 200, parent: 2),
      Self.send(6, at: 1.4, call: "b", attempt: 2, token: "access-two-2", status: 200, parent: 3),
    ]
    expectKept(log, .singleRefresh)
    #expect(judged(log, .singleRefresh) == ["true [2, 3, 4]"])
  }

  @Test func refreshForEachRejectedRequestBreaksThePromise() {
    let rejected = [
      Self.signIn(), Self.send(2, at: 1, call: "a", status: 401, answer: Self.expired),
      Self.send(3, at: 1.05, call: "b", status: 401, answer: Self.expired),
    ]
    let parallel = [
      Self.refresh(4, at: 1.2, "one-1", gives: "two-2", parent: 2), Self.refresh(5, at: 1.22, "one-1", gives: "two-2", parent: 3),
    ]
    #expect(judged(rejected + parallel, .singleRefresh) == ["false [2, 3, 4, 5]"])
    let later = [
      Self.refresh(4, at: 1.2, "one-1", gives: "two-2", parent: 2),
      Self.refresh(5, at: 1.5, "two-2", gives: "three-3", parent: 3),
    ]
    #expect(judged(rejected + later, .singleRefresh) == ["false [2, 3, 4, 5]"])
    // Without a rejected request, too.
    let ahead = [Self.refresh(2, at: 5, "one-1", gives: "two-2", takes: 2), Self.refresh(3, at: 6, "one-1", status: 401)]
    #expect(judged([Self.signIn()] + ahead, .singleRefresh) == ["false [2, 3]"])
  }

  @Test func refreshIsRepeatedAfterAFailure() {
    let log = [
      Self.signIn(), Self.send(2, at: 1, call: "a", status: 401, answer: Self.expired),
      Self.refresh(3, at: 1.2, "one-1", status: 503, parent: 2),
      Self.send(4, at: 9, call: "b", status: 401, answer: Self.expired),
      Self.refresh(5, at: 9.2, "one-1", gives: "two-2", parent: 4),
    ]
    expectKept(log, .singleRefresh)
    // An app that was killed repeats the refresh that its end cut off.
    let killed = [
      Self.refresh(2, at: 1, "one-1", gives: "two-2", takes: 9), Self.refresh(3, at: 3, "one-1", gives: "two-2", isLaunch: true),
    ]
    #expect(judged([Self.signIn()] + killed, .singleRefresh) == [])
  }

  // MARK: Tokens

  @Test func rejectedTokenIsNotSentAgain() {
    let log = [
      Self.signIn(), Self.send(2, at: 1, call: "a", status: 401, answer: Self.expired),
      Self.refresh(3, at: 1.2, "one-1", gives: "two-2", parent: 2),
      Self.send(4, at: 1.4, call: "a", attempt: 2, token: "access-two-2", status: 200),
      Self.send(5, at: 60, call: "b", token: "access-two-2", status: 200),
      // It was on its way when the token was rejected.
      Self.send(6, at: 1.6, call: "c", token: "access-one-1", status: 401, answer: Self.expired),
    ]
    expectKept(log, .noStaleToken)
  }

  @Test func rejectedTokenThatIsSentAgainBreaksThePromise() {
    let rejected = [Self.signIn(), Self.send(2, at: 1, call: "a", status: 401, answer: Self.expired)]
    #expect(judged(rejected + [Self.send(3, at: 9, call: "b", status: 401)], .noStaleToken) == ["false [2, 3]"])
    // What was never sent is no use of it.
    let unsent = [Self.send(3, at: 9, call: "b", status: nil, failure: "offline")]
    #expect(judged(rejected + unsent, .noStaleToken) == ["true [2]"])
    // The same call, at once and without a refresh, also if the backend says no more than 401.
    let again = [Self.send(1, at: 0, call: "a", status: 401), Self.send(2, at: 0.2, call: "a", attempt: 2, status: 401)]
    #expect(judged(again, .noStaleToken) == ["false [1, 2]"])
    // A signature with a wrong time says nothing about the token.
    let signed = #"{"error":{"code":"invalid_signature"}}"#
    let clock = [
      Self.send(1, at: 0, call: "a", status: 401, answer: signed), Self.send(2, at: 0.2, call: "a", attempt: 2, status: 200),
    ]
    #expect(judged(clock, .noStaleToken) == [])
    // After a refresh without a verdict it may be the only one that is left.
    let failed = [Self.refresh(3, at: 1.2, "one-1", status: 503, parent: 2), Self.send(4, at: 90, call: "b", status: 200)]
    #expect(judged(rejected + failed, .noStaleToken) == ["true [2]"])
    let refused = [Self.signIn(), Self.refresh(2, at: 1, "one-1", status: 401), Self.refresh(3, at: 9, "one-1", status: 401)]
    #expect(judged(refused, .noStaleToken) == ["false [2, 3]"])
  }

  @Test func replacedTokenThatIsSentBreaksThePromise() {
    let renewed = [Self.signIn(), Self.refresh(2, at: 1, "one-1", gives: "two-2")]
    expectKept(renewed + [Self.send(3, at: 9, call: "a", token: "access-two-2", status: 200)], .noStaleToken)
    #expect(
      judged(renewed + [Self.send(3, at: 9, call: "a", token: "access-one-1", status: 200)], .noStaleToken) == ["false [2, 3]"])
    #expect(judged(renewed + [Self.refresh(3, at: 9, "one-1", status: 401)], .noStaleToken).contains("false [2, 3]"))
    // What the client could not read replaces nothing for it, and what it could not save is forgotten at the next launch.
    var unread = Self.refresh(2, at: 1, "one-1", gives: "two-2")
    unread.attempt?.isFailed = true
    #expect(broken([Self.signIn(), unread, Self.send(3, at: 9, call: "a", token: "access-one-1", status: 200)]).isEmpty)
    let launched = [
      Self.refresh(3, at: 9, "one-1", status: 503, isLaunch: true),
      Self.send(4, at: 20, call: "a", token: "access-one-1", status: 200),
    ]
    #expect(broken(renewed + launched).isEmpty)
    // A backend can return a token again.
    let same = [
      Self.signIn(), Self.refresh(2, at: 1, "one-1", gives: "two-2"), Self.refresh(3, at: 9, "two-2", gives: "one-1"),
      Self.send(4, at: 20, call: "a", token: "access-one-1", status: 200),
    ]
    #expect(broken(same).isEmpty)
  }

  @Test func tokensAreNotSentAfterTheSignOut() {
    let out = [
      Self.signIn(), Self.send(2, at: 5, call: "out", "POST", "/logout", status: 204, purpose: .signOut),
      Self.signIn(3, at: 20, "two-2"), Self.send(4, at: 21, call: "a", token: "access-two-2", status: 200),
    ]
    expectKept(out, .noTokenAfterSignOut)
    let late = [Self.send(5, at: 30, call: "b", token: "access-one-1", status: 401)]
    #expect(judged(out + late, .noTokenAfterSignOut) == ["false [2, 5]"])
    #expect(judged(out + [Self.refresh(5, at: 30, "one-1", status: 401)], .noTokenAfterSignOut) == ["false [2, 5]"])
  }

  // MARK: Offline

  @Test func callWithoutNetworkFailsAtOnce() {
    expectKept([Self.send(1, at: 0, call: "a", status: nil, fault: "rule", failure: "offline", takes: 0.01)], .offlineFailsFast)
    let slow = Self.send(1, at: 0, call: "a", status: nil, failure: "offline", takes: 30)
    #expect(judged([slow], .offlineFailsFast) == ["false [1]"])
    #expect(promises([slow]).first?.say == "Took 30 s to fail without a network (row 1)")
    // A busy machine.
    #expect(promises([Self.send(1, at: 0, call: "a", status: nil, failure: "offline", takes: 3)]).isEmpty)
    // A fault rule with a delay.
    let delayed = Self.send(1, at: 0, call: "a", status: nil, fault: "rule", failure: "offline", takes: 30)
    #expect(promises([delayed]).isEmpty)
  }

  // MARK: Form

  @Test func onlyTheClientsOwnRequestsAreJudged() {
    let others = Self.failing(gaps: [0.1]).map { exchange in
      var exchange = exchange
      exchange.attempt = nil
      return exchange
    }
    #expect(promises(others).isEmpty)
  }

  @Test func explanationHasPromisesOnlyIfTheyAreJudged() throws {
    var explainer = Explainer()
    for exchange in Self.limited(wait: "2", after: 1, fault: "rule") { explainer.add(exchange) }
    #expect(explainer.explanation().promises == nil)
    let root = try JSONDocument(parsing: try JSONCoding.encode(explainer.explanation(judging: RetryPromise()))).root
    let promise = try #require(root["promises"]?.elements.first { $0["kind"]?.string == "retry_after" })
    #expect(promise["kept"]?.bool == false && promise["rows"]?.elements.compactMap(\.int64) == [1, 2])
    #expect(promise["promised"]?["span_ms"]?.int64 == 2000 && promise["measured"]?["span_ms"]?.int64 == 1000)
    #expect(promise["sentence"]?.string == "promise_retry_after_broken" && promise["fault_id"]?.string == "rule")
    #expect(promise["values"]?["waited"]?["span_ms"]?.int64 == 1000)
  }

  @Test func explanationHasTheNewestPromises() {
    var explainer = Explainer()
    for number in 0..<700 {
      let early = number % 100 == 0
      explainer.add(Self.send(2 * number + 1, at: Double(number) * 10, call: "\(number)", status: 429, wait: "2"))
      explainer.add(
        Self.send(2 * number + 2, at: Double(number) * 10 + (early ? 1.5 : 2.5), call: "\(number)", attempt: 2, status: 200))
    }
    let promises = explainer.explanation(judging: RetryPromise()).promises ?? []
    #expect(promises.count == 500 && promises.count { !$0.kept } == 7 && promises.last?.rows == [1399, 1400])
    #expect(zip(promises, promises.dropFirst()).allSatisfy { ($0.rows.first ?? 0) <= ($1.rows.first ?? 0) })
  }
}
