/// The findings of a session that ended.
///
/// A narrow cause is found only if the log proves it, by its requests or by the backend's own words.
struct Causes {
  private let log: SessionLog
  private let history: SessionHistory
  private let others: [SessionHistory]
  private(set) var missing: [Sentence] = []

  init(log: SessionLog, history: SessionHistory, others: [SessionHistory]) {
    self.log = log
    self.history = history
    self.others = others
  }

  private func exchange(_ index: Int) -> ExchangeFacts { log.exchanges[index] }
  private func number(_ index: Int) -> Int { exchange(index).number }
  private func code(_ index: Int) -> Sentence.Value { ShownText.code(of: exchange(index)) }
  private func row(_ index: Int) -> Sentence.Value { .row(number(index)) }
  private func gap(_ from: Int64, _ to: Int64) -> Sentence.Value { .span(max(0, to - from)) }

  private mutating func lacks(_ variant: Sentence.Variant, _ values: [String: Sentence.Value] = [:]) {
    missing.append(Sentence(variant: variant, values: values))
  }

  mutating func findings() -> [Finding] {
    guard let end = history.end else { return [] }
    var findings: [Finding]
    var deciding: [Int]
    switch end {
    case .signOut(let index):
      findings = signOut(index)
      if let undecided = history.undecided { lacks(.missingDuration, ["row": row(undecided)]) }
      deciding = []
    case .refused(let index):
      if let fault = fault(at: index) { return [fault] }
      findings = [refused(index)] + tokenUsedAfter(index) + retryIgnored()
      deciding = [index]
    case .inconclusive(let index):
      if history.inconclusive.allSatisfy({ exchange($0).fault != nil }), let fault = fault(at: index) {
        return [fault] + retryIgnored()
      }
      findings = [inconclusive(index)] + retryIgnored()
      deciding = history.inconclusive
    case .rejected(let index):
      if let fault = fault(at: index) { return [fault] }
      findings = rejected(index) + retryIgnored()
      deciding = [index]
    case .left(let index):
      let left = exchange(index)
      lacks(.missingCause)
      return [
        Finding(.notRecorded, rows: [left.number], at: left.start, .notRecorded, ["at": .time(left.start), "row": row(index)])
      ]
    }
    if !deciding.isEmpty, !findings.contains(where: { $0.kind == .clockSkew }), let found = needlessRefreshes() {
      findings.append(found)
    }
    let named = Set(findings.flatMap(\.rows))
    let faulted = history.rows.first { exchange($0).fault != nil && named.contains(number($0)) && !deciding.contains($0) }
    if let faulted, let fault = fault(at: faulted) { findings.append(fault) }
    return findings
  }

  private func fault(at index: Int) -> Finding? {
    guard let name = exchange(index).fault else { return nil }
    return Finding(
      .fault, rows: [number(index)], at: exchange(index).end, .fault, ["name": .text(name), "row": row(index)])
  }

  // MARK: Sign-out

  private func signOut(_ index: Int) -> [Finding] {
    let signOut = exchange(index)
    let late = history.rows.filter {
      let call = exchange($0)
      // A cookie can outlive its session.
      let isCookie = call.kind == .other && call.sessionToken?.place == .cookie
      return call.start > signOut.end && call.kind != .signOut && call.kind != .signIn && !isCookie
    }
    var findings = [
      Finding(
        .userSignedOut, rows: [signOut.number], at: signOut.start, late.isEmpty ? .userQuiet : .userThenSent,
        [
          "call": .call(signOut.method, ShownText.path(signOut.path)), "sign_out": row(index), "at": .time(signOut.start),
          "code": .status(signOut.status),
        ])
    ]
    if let next = late.first {
      findings.append(
        Finding(
          .sentAfterSignOut, rows: [signOut.number] + late.prefix(Self.rowLimit).map(number), at: exchange(next).start,
          .sentAfter,
          ["count": .count(late.count), "sign_out": row(index), "next": row(next), "gap": gap(signOut.end, exchange(next).start)])
      )
    }
    return findings
  }

  /// The most rows that a finding names.
  private static let rowLimit = 50

  // MARK: Refused refreshes

  private mutating func refused(_ index: Int) -> Finding {
    let refresh = exchange(index)
    let words = ErrorWords(refresh.message)
    // A known end replaces a likely one.
    let ended = expired(index, words)
    if ended == nil, let token = refresh.refreshToken, let found = otherSite(index, token) { return found }
    if let found = usedTwice(index), ended == nil || found.kind != .refreshAnswerLost { return found }
    if let found = tokenFromParallelRefresh(index) { return found }
    if let found = wrongRefreshToken(index), ended == nil || found.sentence.variant != .wrongOther { return found }
    if words.saysTime || words.saysClient, let found = clock(index, said: words.saysTime) { return found }
    if let ended { return ended }
    if words.saysReused {
      lacksBeginning(index)
      return Finding(
        .refreshTokenReused, rows: [refresh.number], at: refresh.end, .reusedSaid, ["refused": row(index), "code": code(index)])
    }
    if let found = elsewhere(index) { return found }
    lacksBeginning(index)
    return Finding(
      .refreshRefused, rows: [refresh.number], at: refresh.end, .refused, ["refused": row(index), "code": code(index)])
  }

  /// Records that the log lacks the time before a rejection.
  private mutating func lacksBeginning(_ index: Int) {
    let refresh = exchange(index)
    guard let token = refresh.refreshToken, log.issued[token.tag] == nil || log.indistinct.contains(token.tag) else {
      lacks(.missingRefusal, ["row": row(index)])
      return
    }
    guard let first = log.exchanges.first else { return }
    lacks(.missingBeginning, ["gap": gap(first.start, refresh.start), "row": row(index)])
  }

  /// Requests that start this soon after another response were sent without its result, in milliseconds.
  private static let slack: Int64 = 1000

  /// The same token sent before, or at the same time.
  private mutating func usedTwice(_ index: Int) -> Finding? {
    let refresh = exchange(index)
    guard let token = refresh.refreshToken, let uses = log.refreshes[token.tag], uses.count > 1 else { return nil }
    let granted = uses.filter { $0 != index && log.hasReplaced($0) }
    func isTogether(_ other: Int) -> Bool {
      let (first, second) = exchange(other).start <= refresh.start ? (exchange(other), refresh) : (refresh, exchange(other))
      return second.start < first.end + Self.slack
    }
    if let other = granted.first(where: isTogether) {
      let (first, second) = other < index ? (other, index) : (index, other)
      return Finding(
        .refreshRace, rows: [number(first), number(second)], at: refresh.end, .race,
        [
          "first": row(first), "second": row(second), "gap": gap(exchange(first).start, exchange(second).start),
          "code": code(index),
        ])
    }
    if let used = granted.first(where: { exchange($0).end <= refresh.start }) {
      return Finding(
        .refreshTokenReused, rows: [number(used), refresh.number], at: refresh.end, .reused,
        [
          "used": row(used), "used_at": .time(exchange(used).start), "gap": gap(exchange(used).end, refresh.start),
          "refused": row(index), "code": code(index),
        ])
    }
    // A backend that returned a new access token for the same refresh token keeps the refresh token.
    let isKept = uses.contains { log.outcome(of: $0) == .granted && !log.hasReplaced($0) && exchange($0).isBodyRecorded }
    if isKept { return nil }
    if let lost = uses.last(where: { $0 < index && exchange($0).status == nil && !exchange($0).isUnsent })
      ?? uses.last(where: { $0 < index && log.outcome(of: $0) == .inconclusive && log.mayHaveActed($0) })
    {
      return Finding(
        .refreshAnswerLost, rows: [number(lost), refresh.number], at: refresh.end,
        exchange(lost).status == nil ? .answerLost : .answerLostGateway,
        [
          "answer": code(lost),
          "lost": row(lost), "lost_at": .time(exchange(lost).start), "gap": gap(exchange(lost).start, refresh.start),
          "refused": row(index), "code": code(index),
        ])
    }
    return nil
  }

  /// The token is one of two that the same older token was exchanged for.
  private func tokenFromParallelRefresh(_ index: Int) -> Finding? {
    guard let token = exchange(index).refreshToken, let origin = log.issued[token.tag], exchange(origin).kind == .refresh,
      let parent = exchange(origin).refreshToken, let uses = log.refreshes[parent.tag]
    else { return nil }
    let others = uses.filter { $0 != origin && $0 != index && exchange($0).start <= exchange(index).end }
    let together = others.first { other in
      let (first, second) = exchange(other).start <= exchange(origin).start ? (other, origin) : (origin, other)
      return exchange(second).start < exchange(first).end + Self.slack && log.outcome(of: other) == .refused
    }
    if let together {
      let (first, second) = together < origin ? (together, origin) : (origin, together)
      return Finding(
        .refreshRace, rows: [number(first), number(second), number(index)], at: exchange(index).end, .race,
        [
          "first": row(first), "second": row(second), "gap": gap(exchange(first).start, exchange(second).start),
          "code": code(together),
        ])
    }
    guard let other = others.first(where: { log.hasReplaced($0) }) else {
      // Another one that sent the replaced token too late can have ended the family.
      guard let late = others.first(where: { $0 > origin && log.outcome(of: $0) == .refused }) else { return nil }
      return Finding(
        .refreshTokenReused, rows: [number(origin), number(late), number(index)], at: exchange(index).end, .reused,
        [
          "used": row(origin), "used_at": .time(exchange(origin).start), "gap": gap(exchange(origin).end, exchange(late).start),
          "refused": row(late), "code": code(late),
        ])
    }
    let (first, second) = other < origin ? (other, origin) : (origin, other)
    return Finding(
      .refreshRace, rows: [number(first), number(second), number(index)], at: exchange(index).end, .raceLater,
      [
        "first": row(first), "second": row(second), "gap": gap(exchange(first).start, exchange(second).start),
        "refused": row(index), "code": code(index),
      ])
  }

  /// A token of another kind, or another one than the app had received.
  private func wrongRefreshToken(_ index: Int) -> Finding? {
    let refresh = exchange(index)
    guard let token = refresh.refreshToken, !log.indistinct.contains(token.tag) else { return nil }
    if token.isJunk { return noToken(index, .refresh) }
    func wrong(_ origin: Int, _ variant: Sentence.Variant, _ sent: Sentence.Value.Token = .refresh) -> Finding {
      Finding(
        .wrongTokenSent, rows: [number(origin), refresh.number], at: refresh.end, variant,
        [
          "issued": row(origin), "refused": row(index), "code": code(index), "sent": .token(sent),
          "expected": .token(.refresh),
        ])
    }
    if let origin = log.issued[token.tag] {
      guard let role = exchange(origin).received.first(where: { $0.tag == token.tag })?.role,
        role == .access || role == .identity,
        exchange(origin).received.contains(where: { $0.role == .refresh && $0.tag != token.tag })
      else { return nil }
      return wrong(origin, .wrongKind, role == .access ? .access : .identity)
    }
    // The last tokens that this app received before, and never sent.
    let origin = log.exchanges[..<index].lastIndex { earlier in
      earlier.site == refresh.site && earlier.client == refresh.client && (earlier.kind == .signIn || earlier.kind == .refresh)
        && earlier.received.contains { $0.role == .refresh && !log.indistinct.contains($0.tag) } && earlier.end <= refresh.start
    }
    guard let origin, let right = exchange(origin).received.first(where: { $0.role == .refresh }),
      right.place == token.place || right.place == .body,
      log.refreshes[right.tag] == nil, log.refreshes[token.tag]?.first == index,
      others.count(where: { !$0.rows.isEmpty && exchange($0.rows[0]).client == refresh.client }) <= 2
    else { return nil }
    return wrong(origin, .wrongOther)
  }

  /// A placeholder text in the place of a token.
  private func noToken(_ index: Int, _ expected: Sentence.Value.Token) -> Finding? {
    let call = exchange(index)
    let origin = history.rows.last { row in
      row < index && exchange(row).received.contains { $0.role == (expected == .refresh ? .refresh : .access) }
    }
    return Finding(
      .wrongTokenSent, rows: [origin.map(number), call.number].compactMap { $0 }, at: call.end, .wrongJunk,
      ["refused": row(index), "expected": .token(expected), "code": code(index)])
  }

  /// A token that another backend has issued, and that this one has never accepted.
  private func otherSite(_ index: Int, _ token: Credential) -> Finding? {
    let refused = exchange(index)
    let uses = (log.refreshes[token.tag] ?? []).filter { $0 < index }
    guard let home = log.issued[token.tag] ?? uses.first(where: { log.outcome(of: $0) == .granted }),
      exchange(home).site != refused.site,
      !uses.contains(where: { exchange($0).site == refused.site && log.outcome(of: $0) == .granted })
    else { return nil }
    return Finding(
      .wrongTokenSent, rows: [number(home), refused.number], at: refused.end, .wrongSite,
      ["refused": row(index), "issued": row(home), "code": code(index)])
  }

  private func expired(_ index: Int, _ words: ErrorWords) -> Finding? {
    let refresh = exchange(index)
    guard let token = refresh.refreshToken else { return nil }
    let now = refresh.serverTime ?? refresh.start
    let origin = log.indistinct.contains(token.tag) ? nil : log.issued[token.tag]
    let given = origin.flatMap { origin in exchange(origin).received.first { $0.tag == token.tag }?.expiresAt }
    let isClaim = token.claims?.expiresAt != nil
    if let ended = token.claims?.expiresAt ?? given, ended <= now {
      var values: [String: Sentence.Value] = [
        "ended": .date(ended), "gap": gap(ended, now), "refused": row(index), "code": code(index),
      ]
      values["issued"] = origin.map(row)
      return Finding(
        .refreshExpired, rows: [refresh.number], at: refresh.end, isClaim ? .expiredClaim : .expiredLifetime, values)
    }
    guard words.saysExpired else { return nil }
    return Finding(
      .refreshExpired, rows: [refresh.number], at: refresh.end, .expiredSaid, ["refused": row(index), "code": code(index)])
  }

  // MARK: Clocks

  /// By how many milliseconds the app's clock was ahead of the backend's at a request, from this and earlier requests.
  private func skew(at index: Int) -> Int64? {
    func difference(_ exchange: ExchangeFacts) -> Int64? {
      guard let sent = exchange.clientTime, let received = exchange.serverTime else { return nil }
      return abs(sent - received) < 3 * 86_400_000 ? sent - received : nil
    }
    if let own = difference(exchange(index)) { return own }
    let client = exchange(index).client
    let near = log.exchanges[max(0, index - 200)..<min(log.exchanges.count, index + 200)].filter { $0.client == client }
      .compactMap(difference).sorted()
    // Times that are not those of the requests differ by chance.
    guard let low = near.first, let high = near.last, near.count > 1, high - low < Self.skewLimit else { return nil }
    return near[near.count / 2]
  }

  /// Clocks that differ by less cause no problem, in milliseconds.
  private static let skewLimit: Int64 = 60_000

  private func clock(_ index: Int, said: Bool) -> Finding? {
    let refused = exchange(index)
    if let skew = skew(at: index), abs(skew) >= Self.skewLimit {
      let isAhead = skew > 0
      return Finding(
        .clockSkew, rows: [refused.number], at: refused.end, isAhead ? .skewAhead : .skewBehind,
        ["gap": .span(abs(skew)), "refused": row(index), "code": code(index)])
    }
    guard said else { return nil }
    return Finding(.clockSkew, rows: [refused.number], at: refused.end, .skewSaid, ["refused": row(index), "code": code(index)])
  }

  /// Refreshes of tokens that were still valid for the backend but expired for the app, whose clock was ahead.
  private func needlessRefreshes() -> Finding? {
    var needless: [(index: Int, skew: Int64)] = []
    var ends: Int64?
    var attempts = 0
    for index in history.rows where exchange(index).kind == .refresh || exchange(index).kind == .signIn {
      let renewal = exchange(index)
      let now = renewal.serverTime ?? renewal.start
      if let ends, renewal.kind == .refresh, attempts < Self.rowLimit, now < ends - Self.skewLimit {
        attempts += 1
        if let skew = skew(at: index), skew >= Self.skewLimit, now + skew >= ends - 2 * Self.skewLimit {
          needless.append((index, skew))
        }
      }
      if let access = renewal.received.first(where: { $0.role == .access })?.expiresAt { ends = access }
    }
    guard needless.count > 1, let first = needless.first else { return nil }
    return Finding(
      .clockSkew, rows: needless.map { number($0.index) }, at: exchange(first.index).start, .skewNeedless,
      ["gap": .span(first.skew), "count": .count(needless.count), "first": row(first.index)])
  }

  // MARK: Ended elsewhere

  /// A request of another session that ends this one, or the backend's reason for the end.
  private func elsewhere(_ index: Int) -> Finding? {
    let refused = exchange(index)
    for other in others where other.family != history.family {
      let cause = other.rows.last { row in
        let exchange = exchange(row)
        guard exchange.end <= refused.end, exchange.start >= history.lastUse, exchange.status.map({ $0 < 400 }) ?? false else {
          return false
        }
        let endsOthers =
          exchange.kind == .signOut && exchange.words.contains(.all)
          || exchange.method == "DELETE" && exchange.words.contains(.session)
          || exchange.method != "GET" && exchange.words.contains(.password) && exchange.kind == .other
        return endsOthers && exchange.site == refused.site
      }
      guard let cause else { continue }
      return Finding(
        .signedOutElsewhere, rows: [number(cause), refused.number], at: refused.end, .elsewhereSeen,
        [
          "call": .call(exchange(cause).method, ShownText.path(exchange(cause).path)), "cause": row(cause),
          "at": .time(exchange(cause).start), "refused": row(index), "code": code(index),
        ])
    }
    let told = (history.rejected.prefix(Self.rowLimit) + [index]).filter { ErrorWords(exchange($0).message).saysEndedElsewhere }
    guard let first = told.first else { return nil }
    return Finding(
      .signedOutElsewhere, rows: (told + [index]).map(number), at: refused.end, .elsewhereSaid,
      ["refused": row(first), "code": code(first)])
  }

  // MARK: Refreshes without a verdict

  private mutating func inconclusive(_ index: Int) -> Finding {
    let last = exchange(index)
    let rows = history.inconclusive.suffix(Self.rowLimit).map(number) + (history.signal.map { [number($0.index)] } ?? [])
    var values: [String: Sentence.Value] = ["count": .count(history.inconclusive.count), "last": row(index), "code": code(index)]
    let token = last.refreshToken
    let given = token.flatMap { token in
      log.issued[token.tag].flatMap { origin in exchange(origin).received.first { $0.tag == token.tag }?.expiresAt }
    }
    let left = (token?.claims?.expiresAt ?? given).map { $0 - (last.serverTime ?? last.start) }
    if let left, left > 0 { values["left"] = .span(left) }
    if last.status == nil {
      lacks(.missingResponse, ["row": row(index)])
    }
    return Finding(
      .refreshNotAVerdict, rows: rows, at: history.signal?.start ?? last.end,
      values["left"] == nil ? .noVerdict : .noVerdictValid,
      values)
  }

  /// Retries before the end of the backend's requested wait.
  private func retryIgnored() -> [Finding] {
    var early: [(limited: Int, next: Int, wait: Double)] = []
    let rows = history.rows.filter { exchange($0).start >= history.lastUse }
    for (place, index) in rows.enumerated() {
      guard let wait = exchange(index).retryAfter, wait > 0, exchange(index).status.map({ $0 >= 400 }) ?? false,
        let next = rows[(place + 1)...].prefix(Self.rowLimit).first(where: {
          exchange($0).target == exchange(index).target && exchange($0).start >= exchange(index).end
        }),
        Double(exchange(next).start - exchange(index).end) < wait * 1000 - 500
      else { continue }
      early.append((index, next, wait))
    }
    guard let first = early.first else { return [] }
    let named = early.flatMap { [$0.limited, $0.next] }.map(number)
    return [
      Finding(
        .retryAfterIgnored, rows: Set(named).sorted().prefix(Self.rowLimit), at: exchange(first.next).start, .retryIgnored,
        [
          "limited": row(first.limited), "wait": .span(Int64(first.wait * 1000)), "next": row(first.next),
          "gap": gap(exchange(first.limited).end, exchange(first.next).start), "count": .count(early.count),
        ])
    ]
  }

  // MARK: Rejected calls

  private mutating func rejected(_ index: Int) -> [Finding] {
    let call = exchange(index)
    let words = ErrorWords(call.message)
    guard let token = call.sessionToken else { return [] }
    if token.isJunk, let found = noToken(index, .access) { return [found] }
    let isDistinct = !log.indistinct.contains(token.tag)
    if isDistinct, let found = wrongAccessToken(index, token) { return [found] }
    if let found = clockOfCall(index, token, words) { return [found] }
    if words.saysEndedElsewhere, let found = elsewhere(index) { return [found] }
    let repeated = usedAfter(index)
    let now = call.serverTime ?? call.start
    // A rejection at once differs from that of a token that worked, or that had time to expire.
    if isDistinct, let origin = log.issued[token.tag], exchange(origin).kind == .refresh,
      !history.rows.contains(where: { row in
        exchange(row).kind == .other && exchange(row).sessionToken?.tag == token.tag
          && exchange(row).status.map { $0 < 400 } ?? false
      }), !((token.claims?.expiresAt ?? .max) <= now)
    {
      let all = history.rows.filter {
        exchange($0).start >= exchange(origin).start && (exchange($0).kind == .refresh || exchange($0).isUnauthorized)
      }
      return [
        Finding(
          .rejectedAfterRefresh, rows: all.prefix(Self.rowLimit).map(number), at: call.end, .rejectedAfter,
          ["refresh": row(origin), "refused": row(index), "gap": gap(exchange(origin).end, call.start), "code": code(index)])
      ] + repeated
    }
    if let found = elsewhereSeen(index) { return [found] }
    return neverSent(index) + repeated
  }

  /// A call that another session's request has ended.
  private func elsewhereSeen(_ index: Int) -> Finding? {
    guard let found = elsewhere(index), found.rows.count > 1 else { return nil }
    return found
  }

  /// An older access token than the app had, or a token of another kind.
  private func wrongAccessToken(_ index: Int, _ token: Credential) -> Finding? {
    let call = exchange(index)
    let origin = log.issued[token.tag]
    if let origin, let issued = exchange(origin).received.first(where: { $0.tag == token.tag }),
      issued.role == .refresh || issued.role == .identity,
      exchange(origin).received.contains(where: { $0.role == .access && $0.tag != token.tag }), token.place != .cookie
    {
      return Finding(
        .wrongTokenSent, rows: [number(origin), call.number], at: call.end, .wrongKind,
        [
          "refused": row(index), "issued": row(origin), "sent": .token(issued.role == .refresh ? .refresh : .identity),
          "expected": .token(.access), "code": code(index),
        ])
    }
    let newest = history.rows.last { row in
      exchange(row).kind == .refresh && exchange(row).end <= call.start && log.outcome(of: row) == .granted
    }
    guard let newest, origin.map({ $0 < newest }) ?? true,
      exchange(newest).received.contains(where: { $0.role == .access && $0.tag != token.tag && $0.place != .cookie })
    else { return nil }
    let all = history.rejected.filter { exchange($0).sessionToken?.tag == token.tag }
    return Finding(
      .wrongTokenSent, rows: [number(newest)] + all.prefix(Self.rowLimit).map(number), at: call.end, .wrongOld,
      ["refresh": row(newest), "refused": row(index), "code": code(index)])
  }

  private func clockOfCall(_ index: Int, _ token: Credential, _ words: ErrorWords) -> Finding? {
    let call = exchange(index)
    let origin = log.issued[token.tag]
    if let from = token.claims.flatMap({ $0.notBefore ?? $0.issuedAt }), let now = call.serverTime, from > now + 2000 {
      return Finding(
        .clockSkew, rows: [origin.map(number), call.number].compactMap { $0 }, at: call.end,
        origin == nil ? .skewSaid : .skewIssuer,
        [
          "from": .date(from), "gap": gap(now, from), "refused": row(index), "code": code(index),
        ].merging(origin.map { ["issued": row($0)] } ?? [:]) { $1 })
    }
    if words.saysTime { return clock(index, said: true) }
    guard let skew = skew(at: index), abs(skew) >= Self.skewLimit, let now = call.serverTime else { return nil }
    let ended = token.expiresAt ?? origin.flatMap { origin in exchange(origin).received.first { $0.tag == token.tag }?.expiresAt }
    // For an app whose clock is behind, the token was still valid.
    guard skew < 0, let ended, ended <= now, now + skew < ended else { return nil }
    return clock(index, said: false)
  }

  /// The app went from a rejected call to the sign-in.
  private mutating func neverSent(_ index: Int) -> [Finding] {
    let call = exchange(index)
    let now = call.serverTime ?? call.start
    let origin = history.rows.last { row in
      exchange(row).end <= call.start && exchange(row).received.contains { $0.role == .refresh }
    }
    let sender = history.rows.last { exchange($0).kind == .refresh && exchange($0).start <= call.start }
    let rows = history.rejected.prefix(Self.rowLimit).map(number) + (history.signal.map { [number($0.index)] } ?? [])
    guard let source = origin ?? sender else {
      lacks(.missingRefreshToken)
      let kind = ErrorWords(call.message)
      if kind.saysEndedElsewhere, let found = elsewhere(index) { return [found] }
      return [
        Finding(
          .notRecorded, rows: [call.number], at: call.end, .notRecordedRefusal, ["refused": row(index), "code": code(index)])
      ]
    }
    if let ended = exchange(source).received.first(where: { $0.role == .refresh })?.expiresAt, ended <= now {
      return [
        Finding(
          .refreshExpired, rows: [number(source), call.number], at: call.end, .expiredUnsent,
          ["ended": .date(ended), "gap": gap(ended, now), "refused": row(index)])
      ]
    }
    return [
      Finding(
        .refreshNeverSent, rows: rows, at: history.signal?.start ?? call.end, .neverSent,
        ["refused": row(index), "issued": row(source), "code": code(index)])
    ]
  }

  // MARK: Tokens that the app knows to be bad

  /// Further calls with a token after its rejection, without a refresh between them.
  private func usedAfter(_ index: Int) -> [Finding] {
    let call = exchange(index)
    guard let token = call.sessionToken, !log.indistinct.contains(token.tag), history.inconclusive.isEmpty else { return [] }
    let again = history.rejected.filter {
      $0 != index && exchange($0).sessionToken?.tag == token.tag && exchange($0).start >= call.end + 500
    }
    return used(again, after: index)
  }

  /// Further uses of a refresh token after its rejection.
  private func tokenUsedAfter(_ index: Int) -> [Finding] {
    let refresh = exchange(index)
    guard let token = refresh.refreshToken, let uses = log.refreshes[token.tag] else { return [] }
    // Some recorders write no durations, so that the refresh ends at its start.
    return used(uses.filter { $0 > index && exchange($0).start >= refresh.end && log.outcome(of: $0) != .granted }, after: index)
  }

  private func used(_ again: [Int], after index: Int) -> [Finding] {
    guard let next = again.first else { return [] }
    return [
      Finding(
        .tokenUsedAfterRefusal, rows: [number(index)] + again.prefix(Self.rowLimit).map(number), at: exchange(next).start,
        .usedAfter,
        ["refused": row(index), "count": .count(again.count), "next": row(next), "code": code(index)])
    ]
  }
}
