package import Domain
package import FoundationEssentials
import JSON
package import Observability
import Locking

/// Records what happened to a device: session transitions with the rows that caused them, analytics events and faults.
///
/// Every row is noted before the session acts on it, so the cause of a transition is known when it happens.
package final class DeviceTimeline: Sendable {
  private struct State {
    var phase = SessionState.Phase.signedOut
    var causes = TransitionCauses()
    /// The entry of the last refresh, until its row is noted.
    var openRefresh: UInt64?
  }

  private let timeline: Timeline
  private let wall: @Sendable () -> Date
  private let state = Locked(State())

  /// A timeline of at most `capacity` entries, which are dated by `wall`.
  package init(capacity: Int = 1000, wall: @escaping @Sendable () -> Date) {
    timeline = Timeline(capacity: capacity)
    self.wall = wall
  }

  /// The entries, oldest first.
  package var entries: [TimelineEntry] { timeline.entries }

  /// How many entries it can have.
  var capacity: Int { timeline.capacity }
  /// How many entries there are.
  var count: Int { timeline.count }

  /// Notes a row of the network log, after each of its changes.
  package func note(_ row: NetworkRow) {
    let refresh = state.withLock { state -> (entry: UInt64, parent: String)? in
      state.causes.note(row)
      guard row.endpoint == TransitionCauses.refreshEndpoint, let open = state.openRefresh else { return nil }
      state.openRefresh = nil
      return state.causes.takeRefreshParent().map { (open, $0) }
    }
    if let refresh { timeline.setRow(refresh.parent, of: refresh.entry) }
    guard row.state.isFinal, let fault = row.faultID else { return }
    timeline.append(.fault, at: Timestamp(wall()), name: fault, reason: row.error, rowID: row.id)
  }

  /// Notes a state of the session; a state in the same phase as the last is not a transition.
  package func note(_ session: SessionState) {
    let (from, row) = state.withLock { state -> (SessionState.Phase, String?) in
      let from = state.phase
      guard from != session.phase else { return (from, nil) }
      state.phase = session.phase
      state.openRefresh = nil
      return (from, state.causes.row(from: from, to: session.phase, reason: session.reason))
    }
    guard from != session.phase else { return }
    let seq = timeline.append(
      .session, at: Timestamp(wall()), from: from.rawValue, to: session.phase.rawValue, reason: session.reason,
      rowID: row)
    guard session.phase == .refreshing, row == nil else { return }
    state.withLock { if $0.phase == .refreshing { $0.openRefresh = seq } }
  }

  /// Notes that a fault rule was armed, changed its state or was removed; `kind` is its action.
  func note(faultID: String, from: String?, to: String, kind: String) {
    timeline.append(.fault, at: Timestamp(wall()), from: from, to: to, name: faultID, reason: kind)
  }

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
