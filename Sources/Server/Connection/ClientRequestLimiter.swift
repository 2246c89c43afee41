import Locking
import Reactor

/// How many requests of each client that a proxy names are under way: a proxy's connections say nothing about its clients.
final class ClientRequestLimiter: Sendable {
  private let limit: Int
  private let counts = Locked<[SocketAddress: Int]>([:])

  /// None; `limit` for each client.
  init(limit: Int) { self.limit = limit }

  /// Counts a request; false if the client has as many as it may.
  func begin(_ client: SocketAddress) -> Bool {
    counts.withLock { counts in
      guard counts[client, default: 0] < limit else { return false }
      counts[client, default: 0] += 1
      return true
    }
  }

  /// Counts a request no more.
  func end(_ client: SocketAddress) {
    counts.withLock { counts in
      guard let count = counts[client] else { return }
      // An entry without requests would stay for ever.
      counts[client] = count > 1 ? count - 1 : nil
    }
  }

  /// How many the client with most of them has.
  var maximum: Int { counts.withLock { $0.values.max() ?? 0 } }
}
