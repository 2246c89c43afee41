import JSON

/// Judges from the client's own log whether it kept its promises.
///
/// Only a request that was too early, or should not have been sent at all, breaks a promise: a busy machine is late.
struct PromiseJudge {
  private let log: SessionLog
  private let retries: RetryPromise
  private var promises: [ClientPromise] = []
  /// The attempts of each call, in the order of their numbers.
  private var calls: [String: [Int]] = [:]
  /// The ends of the refreshes that returned tokens, in order.
  private var grants: [Int64] = []

  /// The part of a wait that may be missing, because the client spreads its pauses.
  private static let jitter = 0.1
  /// The largest difference between the measured and the true wait, in milliseconds: rows are written in parallel with the
  /// request.
  private static let precision: Int64 = 20
  /// How long after an event a request that was decided before it can start, in milliseconds.
  private static let headway: Int64 = 5000
  /// The longest time in which a call fails at once, in milliseconds.
  private static let atOnce: Int64 = 1000
  /// The time that no busy machine takes to fail at once, in milliseconds.
  private static let tooLate: Int64 = 5000
  /// The maximum number of named rows.
  private static let rowLimit = 20

  private init(_ log: SessionLog, _ retries: RetryPromise) {
    self.log = log
    self.retries = retries
    for index in log.exchanges.indices {
      guard let attempt = log.exchanges[index].attempt else { continue }
      calls[attempt.call, default: []].append(index)
      if attempt.purpose == .refresh, log.clientOutcome(of: index) == .granted { grants.append(log.exchanges[index].end) }
    }
    grants.sort()
  }

  /// Judges every promise for which the log has evidence, in the order of the rows.
  static func promises(in log: SessionLog, _ retries: RetryPromise) -> [ClientPromise] {
    var judge = PromiseJudge(log, retries)
    for rows in judge.calls.values {
      let rows = rows.sorted { left, right in
        let first = judge.number(left)
        let second = judge.number(right)
        return first == second ? left < right : first < second
      }
      judge.judgeRetries(rows)
      judge.judgePosts(rows)
      judge.judgeRepeatedToken(rows)
      judge.judgeOffline(rows)
    }
    judge.judgeRefreshes()
    judge.judgeTokens()
    return judge.promises.sorted { left, right in
      left.rows == right.rows ? left.kind.rawValue < right.kind.rawValue : left.rows.lexicographicallyPrecedes(right.rows)
    }
  }

  private func exchange(_ index: Int) -> ExchangeFacts { log.exchanges[index] }
  private func number(_ index: Int) -> Int { exchange(index).attempt?.number ?? 0 }
  private func row(_ index: Int) -> Sentence.Value { .row(exchange(index).number) }

  private mutating func add(
    _ kind: ClientPromise.Kind, _ kept: Bool, _ rows: [Int], at index: Int, promised: Sentence.Value? = nil,
    measured: Sentence.Value? = nil, _ variant: Sentence.Variant, _ values: [String: Sentence.Value] = [:]
  ) {
    promises.append(
      ClientPromise(
        kind: kind, kept: kept, rows: Set(rows.map { exchange($0).number }).sorted().suffix(Self.rowLimit),
        at: Timestamp(milliseconds: exchange(index).start), promised: promised, measured: measured,
        faultID: rows.compactMap { exchange($0).attempt?.faultID }.first, sentence: Sentence(variant: variant, values: values)))
  }

  // MARK: Retries

  /// Whether an attempt failed for a transient reason.
  private func isTransient(_ index: Int) -> Bool {
    let exchange = exchange(index)
    guard let status = exchange.status else { return !exchange.isUnsent }
    return status >= 500 || [408, 425, 429].contains(status)
  }

  private func isEarly(_ waited: Int64, promised: Double) -> Bool {
    Double(waited) < promised * (1 - Self.jitter) - Double(Self.precision)
  }

  private func hasKey(_ index: Int) -> Bool { exchange(index).hasIdempotencyKey }

  private mutating func judgeRetries(_ rows: [Int]) {
    // A refresh whose response was lost is repeated at once, while the backend still returns the same response.
    guard let last = rows.last, exchange(last).attempt?.purpose != .refresh else { return }
    var failed: [Int] = []
    for (index, next) in zip(rows, rows.dropFirst()) where number(index) < number(next) && isTransient(index) {
      failed.append(index)
      let waited = max(0, exchange(next).start - exchange(index).end)
      if let asked = exchange(index).retryAfter, asked > 0, exchange(index).status != nil {
        let isKept = !isEarly(waited, promised: asked * 1000)
        let promised = Sentence.Value.span(Int64(asked * 1000))
        add(
          .retryAfter, isKept, [index, next], at: next, promised: promised, measured: .span(waited),
          isKept ? .promiseRetryAfter : .promiseRetryAfterBroken,
          ["asked": promised, "waited": .span(waited), "limited": row(index), "next": row(next)])
      }
      guard failed.count < RetryPromise.attempts else { continue }
      let pause = retries.pause(after: failed.count)
      let isKept = !isEarly(waited, promised: Double(pause))
      add(
        .backoff, isKept, [index, next], at: next, promised: .span(pause), measured: .span(waited),
        isKept ? .promiseBackoff : .promiseBackoffBroken,
        ["pause": .span(pause), "waited": .span(waited), "row": row(index), "next": row(next)])
    }
    let tries = failed.count + 1
    if let asked = exchange(last).retryAfter, asked > 0, isTransient(last), exchange(last).status != nil,
      asked > RetryPromise.longestWait || tries >= RetryPromise.attempts || exchange(last).method == "POST" && !hasKey(last)
    {
      let promised = Sentence.Value.span(Int64(asked * 1000))
      add(.retryAfter, true, [last], at: last, promised: promised, .promiseRetryAfterEnd, ["asked": promised])
    }
    guard tries > 1 else { return }
    let isKept = tries <= RetryPromise.attempts
    add(
      .attemptLimit, isKept, failed + [last], at: last, promised: .count(RetryPromise.attempts), measured: .count(tries),
      isKept ? .promiseAttempts : .promiseAttemptsBroken, ["count": .count(tries)])
  }

  /// Whether the response shows that the backend did nothing, so that a corrected request can be sent.
  private func isRejection(_ index: Int) -> Bool {
    exchange(index).status.map { (400..<500).contains($0) } ?? false && !isTransient(index)
  }

  /// Whether a refresh returned tokens between two attempts: a backend file can give any status the meaning of a rejected token.
  private func isRenewed(_ index: Int, _ next: Int) -> Bool {
    let start = exchange(index).start
    let end = exchange(next).start
    return grants.contains { start <= $0 && $0 <= end }
  }

  private mutating func judgePosts(_ rows: [Int]) {
    var sends: [Int: [Int]] = [:]
    for index in rows where exchange(index).method == "POST" && !exchange(index).isUnsent {
      guard exchange(index).attempt?.purpose != .refresh else { continue }
      sends[exchange(index).target, default: []].append(index)
    }
    for posts in sends.values {
      guard let last = posts.last else { continue }
      let repeats = zip(posts, posts.dropFirst()).filter { number($0) < number($1) && !isRejection($0) && !isRenewed($0, $1) }
        .map(\.1)
      guard !repeats.isEmpty else {
        if isTransient(last) {
          add(.noRepeatedPost, true, [last], at: last, promised: .count(1), measured: .count(1), .promisePost)
        }
        continue
      }
      let unkeyed = repeats.first { !hasKey($0) }
      let isKept = unkeyed == nil
      add(
        .noRepeatedPost, isKept, posts, at: last, promised: isKept ? nil : .count(1), measured: .count(repeats.count + 1),
        isKept ? .promisePostKey : .promisePostBroken,
        unkeyed.map { ["call": .call(exchange($0).method, ShownText.path(exchange($0).path)), "next": row($0)] } ?? [:])
    }
  }

  private mutating func judgeOffline(_ rows: [Int]) {
    let failed = rows.filter { exchange($0).attempt?.isOffline == true }
    guard let last = failed.last else { return }
    let slow = failed.filter { exchange($0).end - exchange($0).start > Self.atOnce }
    let late = slow.filter { exchange($0).end - exchange($0).start > Self.tooLate }
    // A fault rule may delay an attempt that it fails.
    guard late.count == slow.count, late.allSatisfy({ exchange($0).attempt?.faultID == nil }) else { return }
    let slowest = late.last ?? last
    let length = Sentence.Value.span(exchange(slowest).end - exchange(slowest).start)
    add(
      .offlineFailsFast, late.isEmpty, failed, at: slowest, measured: length,
      late.isEmpty ? .promiseOffline : .promiseOfflineBroken, ["time": length, "row": row(slowest)])
  }

  // MARK: Refreshes

  /// Whether a response rejects the token, and not the signature or the request's values.
  private func rejectsToken(_ index: Int) -> Bool {
    let exchange = exchange(index)
    return exchange.kind == .other && exchange.isUnauthorized && exchange.code != "invalid_signature"
  }

  private mutating func judgeRefreshes() {
    struct Group {
      var refusals: [Int] = []
      var refreshes: [Int] = []
    }
    var groups: [TokenTag: Group] = [:]
    var tokens: [String: TokenTag] = [:]
    var running: [TokenTag: Int] = [:]
    var overlaps: [Int: Int] = [:]
    for index in log.exchanges.indices {
      let exchange = exchange(index)
      guard let attempt = exchange.attempt else { continue }
      if rejectsToken(index), let token = exchange.sessionToken?.tag, !log.indistinct.contains(token) {
        groups[token, default: Group()].refusals.append(index)
        tokens[attempt.row] = token
      }
      guard attempt.purpose == .refresh else { continue }
      if let parent = attempt.parent, let token = tokens[parent] { groups[token]?.refreshes.append(index) }
      guard let token = exchange.refreshToken?.tag, !log.indistinct.contains(token) else { continue }
      // A launched app has no record of the refresh that its end cut off.
      if !attempt.isLaunch, let before = running[token], exchange.start < self.exchange(before).end - Self.precision {
        overlaps[index] = before
      }
      if exchange.end >= running[token].map({ self.exchange($0).end }) ?? .min { running[token] = index }
    }
    for (token, group) in groups {
      guard let last = group.refreshes.last, let first = group.refusals.first else { continue }
      var granted: Int?
      var needless: [Int] = []
      for index in group.refreshes {
        let isLate = granted.map { before in
          // A backend file can describe a refresh as several requests.
          exchange(index).start >= exchange(before).end && exchange(index).attempt?.call != exchange(before).attempt?.call
        }
        if isLate == true || overlaps[index] != nil { needless.append(index) }
        let isSame = exchange(index).received.contains { $0.tag == token }
        if log.clientOutcome(of: index) == .granted { granted = isSame ? nil : granted ?? index }
      }
      for index in needless { overlaps[index] = nil }
      add(
        .singleRefresh, needless.isEmpty, group.refusals + group.refreshes, at: last, promised: .count(1),
        measured: .count(needless.isEmpty ? 1 : needless.count + 1),
        needless.isEmpty ? .promiseRefresh : .promiseRefreshBroken, ["first": row(first), "refresh": row(needless.first ?? last)])
    }
    for (index, before) in overlaps {
      add(
        .singleRefresh, false, [before, index], at: index, promised: .count(1), measured: .count(2), .promiseRefreshParallel,
        ["first": row(before), "second": row(index)])
    }
  }

  // MARK: Tokens

  /// A call that sends a token again right after its rejection, without a refresh in between.
  private mutating func judgeRepeatedToken(_ rows: [Int]) {
    for (index, next) in zip(rows, rows.dropFirst()) where number(index) < number(next) && rejectsToken(index) {
      guard let token = exchange(index).sessionToken?.tag, exchange(next).sessionToken?.tag == token,
        !log.indistinct.contains(token),
        isEarly(exchange(next).start - exchange(index).end, promised: Double(retries.firstPause)),
        !hasGrant(from: exchange(index).start, to: exchange(next).start)
      else { continue }
      add(
        .noStaleToken, false, [index, next], at: next, measured: .count(1), .promiseTokenRefusedBroken,
        ["row": row(index), "next": row(next)])
    }
  }

  private func hasGrant(from start: Int64, to end: Int64) -> Bool {
    var low = 0
    var high = grants.count
    while low < high {
      let middle = (low + high) / 2
      if grants[middle] < start { low = middle + 1 } else { high = middle }
    }
    return low < grants.count && grants[low] <= end
  }

  private mutating func judgeTokens() {
    var judge = TokenJudge(log: log, headway: Self.headway)
    for end in judge.judged() {
      let next = end.uses.first
      let isKept = next == nil
      let kind: ClientPromise.Kind = end.reason == .signedOut ? .noTokenAfterSignOut : .noStaleToken
      let variant: Sentence.Variant =
        switch end.reason {
        case .refused: isKept ? .promiseTokenRefused : .promiseTokenRefusedBroken
        case .replaced: isKept ? .promiseTokenReplaced : .promiseTokenReplacedBroken
        case .signedOut: isKept ? .promiseSignOut : .promiseSignOutBroken
        }
      var values = ["row": row(end.index)]
      values["next"] = next.map(row)
      add(
        kind, isKept, [end.index] + end.uses, at: next ?? end.index, promised: .count(0), measured: .count(end.uses.count),
        variant, values)
    }
  }
}

extension SessionLog {
  /// A refresh's outcome for the client, which may have been unable to read the response.
  fileprivate func clientOutcome(of index: Int) -> Outcome {
    let outcome = outcome(of: index)
    return outcome == .granted && exchanges[index].attempt?.isFailed == true ? .inconclusive : outcome
  }
}

/// Finds when tokens become worthless, and the client's later uses of them.
private struct TokenJudge {
  enum Reason: Sendable { case refused, replaced, signedOut }

  /// An event that made tokens worthless.
  struct End {
    let index: Int
    let reason: Reason
    let time: Int64
    /// The later requests that carry one of them.
    var uses: [Int] = []
  }

  private enum Moment { case start, end }

  private let log: SessionLog
  private let headway: Int64
  private var ends: [End] = []
  /// The place in `ends` of each token that is worthless.
  private var worthless: [TokenTag: Int] = [:]
  /// The access and refresh tokens that each family received last.
  private var current: [Int: Set<TokenTag>] = [:]
  /// The access tokens of each family that were rejected since its last refresh.
  private var refused: [Int: [TokenTag]] = [:]
  /// The tokens of each family that were replaced.
  private var replaced: [Int: [TokenTag]] = [:]

  /// The codes that reject the access token itself, so that no call can use it.
  private static let codes: Set = ["ErrAccessTokenExpired", "invalid_token"]

  init(log: SessionLog, headway: Int64) {
    self.log = log
    self.headway = headway
  }

  mutating func judged() -> [End] {
    var moments: [(time: Int64, moment: Moment, index: Int)] = []
    for index in log.exchanges.indices where log.exchanges[index].attempt != nil {
      moments.append((log.exchanges[index].start, .start, index))
      moments.append((log.exchanges[index].end, .end, index))
    }
    moments.sort { left, right in
      left.time == right.time
        ? (left.index, left.moment == .end ? 1 : 0) < (right.index, right.moment == .end ? 1 : 0)
        : left.time < right.time
    }
    for (_, moment, index) in moments {
      switch moment {
      case .start: start(index)
      case .end: end(index)
      }
    }
    return ends
  }

  private mutating func lose(_ tokens: some Sequence<TokenTag>, _ reason: Reason, at index: Int, _ time: Int64) {
    let new = tokens.filter { worthless[$0] == nil && !log.indistinct.contains($0) }
    guard !new.isEmpty else { return }
    for token in new { worthless[token] = ends.count }
    ends.append(End(index: index, reason: reason, time: time))
  }

  /// A request's tokens of a session: the token in its header, or the one that a refresh exchanges.
  private func sent(_ exchange: ExchangeFacts) -> [TokenTag] {
    if exchange.attempt?.purpose == .refresh { return exchange.refreshToken.map { [$0.tag] } ?? [] }
    return exchange.sent.filter { $0.place == .authorization || $0.place == .header }.map(\.tag)
  }

  private mutating func start(_ index: Int) {
    let exchange = log.exchanges[index]
    let tokens = sent(exchange)
    if exchange.attempt?.purpose == .signOut {
      let all = log.family(of: index).flatMap { current.removeValue(forKey: $0) } ?? []
      return lose(all.union(tokens), .signedOut, at: index, exchange.start)
    }
    if exchange.attempt?.isLaunch == true, let family = log.family(of: index) {
      // A launched app lacks the tokens that could not be saved before.
      for token in replaced.removeValue(forKey: family) ?? [] { worthless[token] = nil }
    }
    guard !exchange.isUnsent, let place = tokens.compactMap({ worthless[$0] }).first,
      exchange.start > ends[place].time + headway
    else { return }
    ends[place].uses.append(index)
  }

  private mutating func end(_ index: Int) {
    let exchange = log.exchanges[index]
    guard let family = log.family(of: index) else { return }
    let received = Set(exchange.received.lazy.filter { $0.place == .body && $0.role != .identity }.map(\.tag))
    let isGranted = exchange.status.map { (200..<300).contains($0) } ?? false
    if exchange.attempt?.purpose == .refresh {
      switch log.clientOutcome(of: index) {
      case .granted:
        var old = (current[family] ?? []).subtracting(received)
        if log.hasReplaced(index), let token = exchange.refreshToken?.tag { old.insert(token) }
        // A token that the response lacks stays in use.
        if !exchange.received.contains(where: { $0.role == .refresh }), let token = exchange.refreshToken?.tag {
          old.remove(token)
        }
        lose(old, .replaced, at: index, exchange.end)
        replaced[family, default: []] += old
        for token in received { worthless[token] = nil }
        current[family] = received.union(log.hasReplaced(index) ? [] : exchange.refreshToken.map { [$0.tag] } ?? [])
        refused[family] = nil
      case .refused:
        // Another status does not end every session.
        guard exchange.status == 401, exchange.code != "invalid_signature", let token = exchange.refreshToken?.tag else { return }
        lose([token], .refused, at: index, exchange.end)
      case .inconclusive, .lost:
        // The client may have lost its record of a token while it slept.
        for token in refused.removeValue(forKey: family) ?? [] { worthless[token] = nil }
      }
    } else if exchange.kind == .signIn, isGranted {
      for token in received { worthless[token] = nil }
      current[family, default: []].formUnion(received)
    } else if exchange.kind == .other, exchange.isUnauthorized, let code = exchange.code, Self.codes.contains(code),
      let token = exchange.sessionToken, token.place != .cookie
    {
      refused[family, default: []].append(token.tag)
      lose([token.tag], .refused, at: index, exchange.end)
    }
  }
}
