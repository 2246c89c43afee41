import Locking
package import Reactor

/// Limits the guessing of a secret: counts failed attempts within a minute, for each client and in total.
///
/// At the limit no attempt is checked, so a client cannot learn whether it was right. Successful attempts do not count.
package final class GuessLimit: Sendable {
  /// Why an attempt was not checked.
  package struct Refusal: Error, Equatable, Sendable {
    /// Whole seconds until another attempt may be checked.
    package let retryAfterSeconds: Int
    /// Whether this is the first rejection within a minute, so that a log is not flooded.
    package let isFirst: Bool
  }

  private struct Wrong {
    let client: SocketAddress
    let instant: ContinuousClock.Instant
  }

  private struct State {
    /// The failures of the last minute, oldest first; never more than the total limit.
    var wrong: [Wrong] = []
    var told: ContinuousClock.Instant?
  }

  /// Failed attempts of one client within a minute.
  package static let clientLimit = 10
  /// Failed attempts of all clients within a minute.
  package static let limit = 100
  private static let minute = Duration.seconds(60)

  private let state = Locked(State())

  package init() {}

  /// Runs `test` unless a limit is reached; a result of nil counts as a failed attempt.
  ///
  /// Checking and counting are one step, so concurrent attempts cannot exceed the limit. `client` is ``SocketAddress/client``, or
  /// the client that a proxy names.
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

  /// The number of failed attempts counted at an instant, in total and for the client with the most.
  package func counts(at now: ContinuousClock.Instant) -> (all: Int, client: Int) {
    let wrong = state.withLock { $0.wrong }.filter { $0.instant + Self.minute > now }
    return (wrong.count, Dictionary(grouping: wrong, by: \.client).values.map(\.count).max() ?? 0)
  }
}
