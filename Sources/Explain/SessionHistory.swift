import JSON

/// A session's history: its requests, and how it ended.
struct SessionHistory {
  /// How a session ended, with the exchange that shows it.
  enum End {
    case signOut(Int)
    /// A refresh that was rejected.
    case refused(Int)
    /// A refresh that got no verdict, the last of several.
    case inconclusive(Int)
    /// A call that was rejected, without a successful refresh after it.
    case rejected(Int)
    /// The app left the session, and no response shows the reason.
    case left(Int)
  }

  let family: Int
  /// The exchanges with its tokens, in the order of their starts.
  var rows: [Int] = []
  private(set) var verdict = Explanation.Verdict.unknown
  private(set) var end: End?
  /// The signal that the app left it.
  private(set) var signal: LossSignals.Signal?
  /// The start of the last call that worked before the end.
  private(set) var lastUse = Int64.min
  /// Refreshes without a verdict since the last successful one.
  private(set) var inconclusive: [Int] = []
  /// Calls that were rejected since the last one that worked, and since the last successful refresh.
  private(set) var rejected: [Int] = []
  /// A call that was rejected, of which the log does not say whether that was before the sign-out.
  private(set) var undecided: Int?

  init(family: Int) { self.family = family }

  /// How soon after a rejection a sign-out is the app's own, in milliseconds.
  private static let giveUpLimit: Int64 = 1000

  /// Whether it has evidence of a session, not only calls that failed for other reasons.
  func isSession(_ log: SessionLog) -> Bool {
    rows.contains { index in
      let exchange = log.exchanges[index]
      return exchange.kind != .other || exchange.isUnauthorized || exchange.status.map { $0 < 400 } ?? false
    }
  }

  /// Finds the end of the session. `isAlone` is whether the log has no other.
  mutating func read(_ log: SessionLog, _ signals: LossSignals, isAlone: Bool) {
    func exchange(_ index: Int) -> ExchangeFacts { log.exchanges[index] }
    let lastSuccess = rows.last { exchange($0).isSuccess && !exchange($0).isSignInPage }
    let signOut = rows.first { index in
      let call = exchange(index)
      guard call.kind == .signOut, call.status.map({ $0 < 500 && $0 != 404 && $0 != 405 }) ?? true else { return false }
      // A request that ends the user's other sessions leaves this one.
      let isOfOthers =
        call.words.contains(.all)
        || !call.words.contains(.signOut) && !(call.words.contains(.revoke) && !call.words.contains(.session))
          && !CallWords(call.path.split(separator: "/").last ?? "").contains(.own)
      return !isOfOthers || lastSuccess.map { exchange($0).start <= call.end } ?? true
    }
    // A call that was under way during the sign-out is no evidence.
    let limit = signOut.map { exchange($0).start } ?? .max
    let before = rows.filter { row in
      let call = exchange(row)
      guard signOut != nil, row != signOut else { return call.start < limit }
      // One that is not known to have ended is taken as being under way for a while.
      if !call.hasDuration, call.kind == .other, call.isUnauthorized, call.start < limit, limit - call.start < Self.giveUpLimit {
        undecided = undecided ?? row
        return false
      }
      return call.start < limit && call.end <= limit
    }
    var lastGrant = Int64.min
    var lastGrantEnd = Int64.min
    // Pages and files are sent for a browser's cookie even after the session has ended.
    let firstRejection = before.lazy.filter { exchange($0).isUnauthorized }.map { exchange($0).end }.min() ?? .max
    for index in before {
      let isGrant =
        exchange(index).kind == .refresh ? log.outcome(of: index) == .granted : exchange(index).kind == .signIn
      if isGrant { (lastGrant, lastGrantEnd) = (max(lastGrant, exchange(index).start), max(lastGrantEnd, exchange(index).end)) }
      let call = exchange(index)
      if call.isSuccess, !call.isSignInPage, call.start < firstRejection || !call.needsNoSession {
        lastUse = max(lastUse, exchange(index).start)
      }
    }
    let pending = before.filter {
      exchange($0).kind == .refresh && exchange($0).end >= lastGrant && log.outcome(of: $0) != .granted
    }
    inconclusive = pending.filter { log.outcome(of: $0) != .refused }
    rejected = before.filter {
      exchange($0).kind == .other && exchange($0).isUnauthorized && exchange($0).start >= lastGrantEnd
        && exchange($0).end > lastUse
    }
    let sites = log.sites[family] ?? []
    let clients = Set(rows.map { exchange($0).client })
    func findSignal(after time: Int64, onlyEnds: Bool = false) -> LossSignals.Signal? {
      signals.first(after: time, sites: sites, clients: clients, isAlone: isAlone, onlyEnds: onlyEnds)
    }
    let isAlive = lastGrant > .min || lastUse > .min
    let refused = pending.filter { log.outcome(of: $0) == .refused }
    if let first = refused.first {
      // A call that worked after a rejection shows that the app continued, until it left. No user signs out as fast as an app
      // that gives up.
      let deciding = refused.first { index in
        let end = exchange(index).end
        return lastUse < end || signOut.map { (end...end + Self.giveUpLimit).contains(exchange($0).start) } ?? false
      }
      signal = findSignal(after: max(exchange(deciding ?? first).end, lastUse))
      if deciding != nil || signal != nil && signOut == nil { return finish(.refused(deciding ?? first)) }
    }
    if let first = rejected.first, inconclusive.isEmpty {
      signal = findSignal(after: exchange(first).start)
      let isCleared = rejected.contains { exchange($0).clearsSession }
      if signal != nil || isCleared || signOut != nil { return finish(.rejected(first)) }
    } else if let first = inconclusive.first, let last = inconclusive.last {
      signal = findSignal(after: max(exchange(first).end, lastUse < exchange(last).end ? .min : lastUse))
      let isUsed = lastUse >= exchange(last).end
      if signal != nil && signOut == nil || signOut != nil && !isUsed { return finish(.inconclusive(last)) }
      if signOut == nil, !isUsed { return }
    }
    if let signOut { return finish(.signOut(signOut)) }
    if !rejected.isEmpty, inconclusive.isEmpty { return }
    let lastEnd = rows.map { exchange($0).end }.max() ?? 0
    if isAlone, isAlive, let left = findSignal(after: lastEnd, onlyEnds: true) {
      signal = left
      return finish(.left(left.index))
    }
    verdict = isAlive && isKept(log) ? .sessionKept : .unknown
  }

  /// Whether nothing speaks against the session's having been kept: its last calls were not all rejected, and none of them is without
  /// a time, by which another can have been the last.
  private func isKept(_ log: SessionLog) -> Bool {
    let calls = rows.map { log.exchanges[$0] }.filter { $0.kind != .signOut }
    guard let last = calls.last else { return true }
    if last.kind == .other, last.isUnauthorized, !calls.contains(where: { $0.isSuccess && $0.start >= last.start }),
      !calls.contains(where: { $0.kind != .other && $0.end >= last.start && $0.status.map { $0 < 400 } ?? false })
    {
      return false
    }
    let isRejected = calls.contains { $0.isUnauthorized || $0.kind == .refresh && $0.status.map { $0 >= 400 } ?? true }
    return !isRejected || calls.allSatisfy(\.hasStart)
  }

  private mutating func finish(_ end: End) {
    verdict = .signedOut
    self.end = end
  }

  /// Whether it is only a rejected token from before the log, without a later effect.
  func hasOnlyRejectedCalls(in log: SessionLog) -> Bool {
    rows.allSatisfy { log.exchanges[$0].kind == .other && log.exchanges[$0].isUnauthorized }
  }

  /// The evidence that the log lacks to decide whether the session was kept.
  func missingInformation(in log: SessionLog) -> Sentence {
    if rows.contains(where: { !log.exchanges[$0].hasStart }) { return Sentence(variant: .missingTime, values: [:]) }
    let last = rows.last.flatMap { log.exchanges[$0].isUnauthorized ? $0 : nil }
    guard let trouble = (rejected + inconclusive).min() ?? last else {
      return Sentence(variant: .missingSuccess, values: [:])
    }
    return Sentence(variant: .missingRest, values: ["row": .row(log.exchanges[trouble].number)])
  }

  /// Its refresh tokens; nil without any.
  func tokens(_ log: SessionLog) -> TokenFamily? {
    var uses: [TokenFamily.Use] = []
    for index in rows {
      let exchange = log.exchanges[index]
      func add(_ what: TokenFamily.What, _ time: Int64) {
        uses.append(TokenFamily.Use(row: exchange.number, at: Timestamp(milliseconds: time), what: what))
      }
      if exchange.kind == .refresh {
        add(.sent, exchange.start)
        switch log.outcome(of: index) {
        case .granted: add(.replaced, exchange.end)
        case .refused: add(.refused, exchange.end)
        case .lost: add(.lost, exchange.end)
        case .inconclusive: break
        }
      }
      if exchange.kind == .refresh || exchange.kind == .signIn, exchange.received.contains(where: { $0.role == .refresh }) {
        add(.issued, exchange.end)
      }
    }
    guard let first = uses.first else { return nil }
    return TokenFamily(firstRow: first.row, uses: uses)
  }
}
