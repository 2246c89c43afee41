package import Client
package import Domain
package import FoundationEssentials
import JSON
import Locking
package import Observability
import RPC

/// Records what happened to a device: session transitions with the rows that caused them, analytics events and faults.
///
/// Every row is noted before the session acts on it, so the cause of a transition is known when it happens.
package final class DeviceTimeline: Sendable {
  private struct State {
    var phase = SessionState.Phase.signedOut
    var causes = TransitionCauses()
    /// The entry of the last refresh, until its row is noted.
    var openRefresh: RowSequence?
    /// The entry of the last sign-out, until the row of its call is noted: the tokens are removed first.
    var openSignOut: RowSequence?
    /// The attempts that have not ended, so that each affects the timeline once, even if its row changes later.
    var openRows: Set<String> = []
    /// The rules that acted for the last time, by ID with their presets, until the timeline reports it.
    var spent: [String: String?] = [:]
  }

  /// The most open attempts and rules to remember.
  private static let memory = 1000

  private let timeline: Timeline
  private let wall: @Sendable () -> Date
  private let state = Locked(State())

  /// A timeline of at most `capacity` entries, which are dated by `wall`; `onChange` is called after each change.
  package init(capacity: Int = 1000, wall: @escaping @Sendable () -> Date, onChange: @escaping @Sendable () -> Void = {}) {
    timeline = Timeline(capacity: capacity, onChange: onChange)
    self.wall = wall
  }

  /// The entries, oldest first.
  package var entries: [TimelineEntry] { timeline.entries }

  /// Fills a new timeline with saved entries, oldest first.
  func restore(_ entries: [TimelineEntry]) { timeline.restore(entries) }

  /// Takes the entries that changed since the last time.
  func takeUnsaved() -> [TimelineEntry] { timeline.takeUnsaved() }

  /// Takes back entries that could not be saved.
  func putBack(_ entries: [TimelineEntry]) { timeline.putBack(entries) }

  /// How many entries it can have.
  var capacity: Int { timeline.capacity }
  /// How many entries there are.
  var count: Int { timeline.count }

  /// Notes a row of the network log, after each of its changes.
  package func note(_ row: NetworkRow) {
    let refresh = state.withLock { state -> (entry: RowSequence, parent: String)? in
      state.causes.note(row)
      if row.endpoint == TransitionCauses.logoutEndpoint, let open = state.openSignOut {
        state.openSignOut = nil
        return (open, row.id)
      }
      guard row.endpoint == TransitionCauses.refreshEndpoint, let open = state.openRefresh else { return nil }
      state.openRefresh = nil
      return state.causes.takeRefreshParent().map { (open, $0) }
    }
    if let refresh { timeline.setRow(refresh.parent, of: refresh.entry) }
    let hasEnded = state.withLock { state in
      guard !row.state.isFinal else { return state.openRows.remove(row.id) != nil }
      // A log that is cleared never reports the end of open attempts.
      if state.openRows.count >= Self.memory { state.openRows.removeAll() }
      state.openRows.insert(row.id)
      return false
    }
    if hasEnded, let id = row.faultID { noteEffect(of: id, row.fault, reason: row.error, rowID: row.id) }
  }

  /// Notes a state of the session; a state in the same phase as the last is not a transition.
  package func note(_ session: SessionState) {
    let (from, cause) = state.withLock { state -> (SessionState.Phase, TransitionCauses.Cause?) in
      let from = state.phase
      guard from != session.phase else { return (from, nil) }
      state.phase = session.phase
      (state.openRefresh, state.openSignOut) = (nil, nil)
      return (from, state.causes.cause(from: from, to: session.phase, reason: session.reason))
    }
    guard from != session.phase else { return }
    let seq = timeline.append(
      .session, at: Timestamp(wall()), from: from.rawValue, to: session.phase.rawValue, faultName: cause?.fault?.name,
      preset: cause?.fault?.preset, reason: session.reason, rowID: cause?.rowID)
    state.withLock { state in
      guard state.phase == session.phase, cause == nil else { return }
      if session.phase == .refreshing { state.openRefresh = seq }
      if session.reason == LogoutReason.user.rawValue { state.openSignOut = seq }
    }
  }

  /// The entry of the session's end; nil if the last session continues or its end was evicted.
  var sessionEnd: TimelineEntry? {
    timeline.last { $0.kind == .session }.flatMap { $0.to == SessionState.Phase.signedOut.rawValue ? $0 : nil }
  }

  // MARK: Faults

  /// Notes that a fault was armed, changed its state or was removed.
  func note(_ change: NamedFault.Change) {
    let entry = change.fault.first
    // The end of an attempt in progress does not report the same change again.
    state.withLock { state in
      state.spent = state.spent.filter { id, preset in id != entry.id && (preset == nil || preset != entry.rule.preset) }
    }
    timeline.append(
      .fault, at: Timestamp(wall()), from: change.from?.rawValue, to: change.to?.rawValue ?? "removed", name: entry.id,
      faultName: entry.rule.name, preset: entry.rule.preset, reason: entry.rule.action.kind.rawValue)
  }

  /// Notes that rules apply to an attempt; they appear in the timeline when it ends.
  package func noteHits(of entries: [FaultEntry], in plan: FaultPlan, at now: ContinuousClock.Instant) {
    let faults = NamedFault.list(plan.entries, at: now)
    state.withLock { state in
      if state.spent.count >= Self.memory { state.spent.removeAll() }
      for entry in entries {
        let key = entry.rule.preset ?? entry.id
        let isSpent = faults.contains { $0.key == key && $0.state == .spent }
        if isSpent { state.spent.updateValue(entry.rule.preset, forKey: entry.id) }
      }
    }
    // No attempt shows that tokens could not be saved.
    for entry in entries where entry.rule.action.kind == .storageFull {
      noteEffect(of: entry.id, RowFault(entry.rule), reason: entry.rule.action.kind.rawValue, rowID: nil)
    }
  }

  /// Records that a rule acted, and that it will not act again.
  private func noteEffect(of id: String, _ fault: RowFault?, reason: String?, rowID: String?) {
    let isSpent = state.withLock { $0.spent.removeValue(forKey: id) != nil }
    func append(from: FaultEntry.State?, to: String, reason: String?, rowID: String?) {
      timeline.append(
        .fault, at: Timestamp(wall()), from: from?.rawValue, to: to, name: id, faultName: fault?.name,
        preset: fault?.preset, reason: reason, rowID: rowID)
    }
    append(from: nil, to: "acted", reason: reason, rowID: rowID)
    if isSpent { append(from: .armed, to: FaultEntry.State.spent.rawValue, reason: nil, rowID: nil) }
  }

  // MARK: Clock

  /// Notes that the embedded backend's clock was moved; `offset` is how far it is ahead, in seconds.
  func noteClock(offset: Int) { timeline.append(.clock, at: Timestamp(wall()), to: "\(offset)") }

  /// Records an analytics event; the caller has checked that the account allows it.
  package func record(_ event: AnalyticsEvent) {
    let words = event.words
    timeline.append(
      .analytics, at: Timestamp(wall()), from: words.from, to: words.to, name: event.name, reason: words.reason)
  }
}

extension AnalyticsEvent {
  /// The event's values as they appear in the timeline.
  var words: (from: String?, to: String?, reason: String?) {
    switch self {
    case .magicLinkRequested, .settingsOpened: (nil, nil, nil)
    case .loginSucceeded(let method): (nil, method.rawValue, nil)
    case .loginFailed(let method, let category): (nil, method.rawValue, category.rawValue)
    case .logout(let reason): (nil, nil, reason.rawValue)
    case .languageChanged(let from, let to): (from?.text, to.text, nil)
    case .analyticsOptInChanged(let isOptedIn): (isOptedIn ? "off" : "on", isOptedIn ? "on" : "off", nil)
    }
  }
}

/// Finds the network row that caused a transition of the session, from the rows seen before it.
struct TransitionCauses: Hashable, Sendable {
  /// The endpoint of the refresh call in the log.
  static let refreshEndpoint = AuthEndpoints.RefreshTokens.name
  private static let loginEndpoints: Set = [
    AuthEndpoints.LoginWithMagicToken.name, AuthEndpoints.LoginWithCode.name, AuthEndpoints.LoginWithPassword.name,
  ]
  private static let deletionEndpoint = AccountEndpoints.RequestDeletion.name
  /// The endpoint of the sign-out call in the log.
  static let logoutEndpoint = AuthEndpoints.Logout.name

  /// A row that caused a transition.
  struct Cause: Hashable, Sendable {
    let rowID: String
    /// The fault rule that responded in the backend's place.
    var fault: RowFault?

    fileprivate init(_ row: NetworkRow) {
      rowID = row.id
      fault = row.source == .fault ? row.fault : nil
    }

    fileprivate init(rowID: String) { self.rowID = rowID }
  }

  private var login: Cause?
  private var refresh: Cause?
  private var deletion: Cause?
  /// The latest 401 of a call that is neither login nor refresh.
  private var unauthorized: Cause?
  /// The latest failure with any status of such a call: a backend file can give each of them this meaning.
  private var refused: Cause?
  /// The row that caused the latest refresh, until a transition takes it.
  private var refreshParent: String?
  private var refreshCall: String?

  /// Notes a row, after each of its changes.
  mutating func note(_ row: NetworkRow) {
    if row.endpoint == Self.refreshEndpoint {
      refresh = Cause(row)
      // Once per call: a retry has the same cause.
      if refreshCall != row.callID { refreshParent = row.parentID }
      refreshCall = row.callID
      return
    }
    guard row.state.isFinal else { return }
    if Self.loginEndpoints.contains(row.endpoint) { return login = Cause(row) }
    if row.endpoint == Self.deletionEndpoint { deletion = Cause(row) }
    if row.status == 401 { unauthorized = Cause(row) }
    if row.state == .failure, row.status != nil { refused = Cause(row) }
  }

  /// Returns the row that caused the refresh, once.
  mutating func takeRefreshParent() -> String? {
    defer { refreshParent = nil }
    return refreshParent
  }

  /// The row that caused a transition; nil if there is none or it is unknown.
  mutating func cause(from: SessionState.Phase, to: SessionState.Phase, reason: String?) -> Cause? {
    switch (from, to) {
    case (_, .refreshing): return takeRefreshParent().map { Cause(rowID: $0) }
    case (.signedOut, .authenticated): return login
    case (_, .authenticated), (_, .error): return from == .refreshing ? refresh : nil
    case (_, .signedOut):
      switch reason.flatMap(LogoutReason.init(rawValue:)) {
      case .accountDeletion: return deletion
      case .refreshTokenExpired, .refreshTokenReused, .deviceNotRegistered, .invalidToken, .accessTokenRejected, .unauthorized,
        .refreshRefused:
        return from == .refreshing ? refresh : unauthorized
      case .sessionEnded: return refused
      case .user, .vaultDamaged, nil: return nil
      }
    }
  }
}
