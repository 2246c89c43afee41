import Reactor
import Locking

/// Limits the number of connections, in total and for each client, before the server spends a handshake or a task on them.
final class ConnectionLimiter: Sendable {
  private struct State {
    var count = 0
    var clients: [SocketAddress: Int] = [:]
  }

  /// How many connections above the limit are accepted to receive a 503; the rest are closed without a response.
  private static let rejectionHeadroom = 64

  private let limits: ServerLimits
  private let metrics: ServerMetrics
  private let state = Locked(State())

  init(limits: ServerLimits, metrics: ServerMetrics) {
    self.limits = limits
    self.metrics = metrics
  }

  /// The admission check for a listener.
  var admission: ConnectionAdmission {
    ConnectionAdmission(enter: { self.enter($0) }, leave: { self.leave($0) })
  }

  private func isCounted(_ peer: SocketAddress) -> Bool {
    limits.connectionsPerClient > 0 && !limits.isBehindProxy && (limits.countsLoopbackClients || !peer.isLoopback)
  }

  private func enter(_ peer: SocketAddress) -> Bool {
    let client = isCounted(peer) ? peer.client : nil
    let isAdmitted = state.withLock { state in
      guard state.count < limits.connections + Self.rejectionHeadroom else { return false }
      if let client {
        guard state.clients[client, default: 0] < limits.connectionsPerClient else { return false }
        state.clients[client, default: 0] += 1
      }
      state.count += 1
      return true
    }
    if isAdmitted {
      metrics.accepted.add()
      metrics.connections.add()
    } else {
      metrics.rejected.add()
    }
    return isAdmitted
  }

  private func leave(_ peer: SocketAddress) {
    metrics.connections.add(-1)
    let client = isCounted(peer) ? peer.client : nil
    state.withLock { state in
      state.count -= 1
      guard let client, let count = state.clients[client] else { return }
      // Remove empty entries, or the dictionary would grow forever.
      state.clients[client] = count > 1 ? count - 1 : nil
    }
  }
}
