import Reactor
import Locking

/// Lets connections in up to the limits, in all and for each client, before a handshake or a task is spent on them.
final class ConnectionLimiter: Sendable {
  private struct State {
    var count = 0
    var clients: [SocketAddress: Int] = [:]
  }

  /// So many above the limit are let in, to be told 503; the rest is closed without a word.
  static let rejectionHeadroom = 64

  private let limits: ServerLimits
  private let metrics: ServerMetrics
  private let state = Locked(State())

  /// A gate that nobody has passed.
  init(limits: ServerLimits, metrics: ServerMetrics) {
    (self.limits, self.metrics) = (limits, metrics)
  }

  /// For a listener.
  var admission: Admission {
    Admission(enter: { self.enter($0) }, leave: { self.leave($0) })
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
      // An entry without connections would stay for ever.
      state.clients[client] = count > 1 ? count - 1 : nil
    }
  }

  /// How many clients have connections that count.
  var clientCount: Int { state.withLock { $0.clients.count } }
}
