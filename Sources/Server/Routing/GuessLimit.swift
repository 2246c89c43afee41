import Locking
package import Reactor

/// Limits how often a secret can be guessed: wrong tries count, a minute long, for each client and in all.
///
/// At the limit nobody learns whether a try was right. A right one before it never counts.
package final class GuessLimit: Sendable {
  /// Why a try was not looked at.
  package struct Refusal: Error, Equatable, Sendable {
    /// Whole seconds after which the next try is looked at, unless others have used up the room by then.
    package let retryAfterSeconds: Int
    /// Whether nothing was refused within the last minute: the time to say so in a log.
    package let isFirst: Bool
  }

  private struct Wrong {
    let client: SocketAddress
    let instant: ContinuousClock.Instant
  }

  private struct State {
    /// Of the last minute, oldest first; never more than the limit in all.
    var wrong: [Wrong] = []
    var told: ContinuousClock.Instant?
  }

  /// Wrong tries of one client within a minute.
  package static let clientLimit = 10
  /// Wrong tries within a minute in all.
  package static let limit = 100
  private static let minute = Duration.seconds(60)

  private let state = Locked(State())

  /// A limit that nothing was counted against.
  package init() {}

  /// What `test` finds, unless there were too many wrong tries; nil counts as one.
  ///
  /// Look and count are one step, so of many tries at once no more than the limit are looked at. `client` is
  /// ``SocketAddress/client`` or what a proxy names.
  package func attempt<Found: Sendable>(
    by client: SocketAddress, at now: ContinuousClock.Instant, _ test: () -> Found?
  ) throws(Refusal) -> Found? {
    try state.withLock { (state) throws(Refusal) -> Found? in
      state.wrong.removeAll { $0.instant + Self.minute <= now }
      let own = state.wrong.filter { $0.client == client }
      let oldest = own.count >= Self.clientLimit ? own.first : state.wrong.count >= Self.limit ? state.wrong.first : nil
      if let oldest {
        let isFirst = state.told.map { $0 + Self.minute <= now } ?? true
        if isFirst { state.told = now }
        let wait = oldest.instant + Self.minute - now
        throw Refusal(retryAfterSeconds: Int((wait / .seconds(1)).rounded(.up)), isFirst: isFirst)
      }
      let found = test()
      if found == nil { state.wrong.append(Wrong(client: client, instant: now)) }
      return found
    }
  }

  /// How many wrong tries are counted at an instant, in all and of the client with most of them.
  package func counts(at now: ContinuousClock.Instant) -> (all: Int, client: Int) {
    let wrong = state.withLock { $0.wrong }.filter { $0.instant + Self.minute > now }
    return (wrong.count, Dictionary(grouping: wrong, by: \.client).values.map(\.count).max() ?? 0)
  }
}
