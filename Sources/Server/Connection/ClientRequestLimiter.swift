import Locking
import Reactor

/// Limits the concurrent requests of each client behind a proxy, whose connections do not identify its clients.
final class ClientRequestLimiter: Sendable {
  private let limit: Int
  private let counts = Locked<[SocketAddress: Int]>([:])

  /// Allows `limit` concurrent requests for each client.
  init(limit: Int) { self.limit = limit }

  /// Counts a request; returns false if the client has reached its limit.
  func begin(_ client: SocketAddress) -> Bool {
    counts.withLock { counts in
      guard counts[client, default: 0] < limit else { return false }
      counts[client, default: 0] += 1
      return true
    }
  }

  /// Stops counting a request.
  func end(_ client: SocketAddress) {
    counts.withLock { counts in
      guard let count = counts[client] else { return }
      // Remove empty entries, or the dictionary would grow forever.
      counts[client] = count > 1 ? count - 1 : nil
    }
  }

  /// The largest number of concurrent requests of one client.
  var maximum: Int { counts.withLock { $0.values.max() ?? 0 } }
}
