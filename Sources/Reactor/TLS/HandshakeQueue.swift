/// Bounds how many parts of TLS handshakes one turn of a loop does, each of which may cost a signature: a flood of new clients
/// must not hold up the connections that are established. Only the loop's thread touches it.
final class HandshakeQueue {
  /// How many a turn; with some 0.2 ms each the others wait for a few milliseconds at most.
  static let turn = 16

  private var rest = HandshakeQueue.turn
  private var waiting: [UnsafeContinuation<Void, Never>] = []
  private var next = 0

  /// Whether some wait, so that the loop must not sleep.
  var isEmpty: Bool { next == waiting.count }

  /// Returns when a part may be done: at once while the turn has room, else in a later turn, in order.
  ///
  /// Must be called on the loop.
  nonisolated(nonsending) func enter() async {
    if rest > 0, isEmpty {
      rest -= 1
      return
    }
    await withUnsafeContinuation { waiting.append($0) }
  }

  /// Begins a turn and lets the first in line go on.
  func beginTurn() {
    rest = Self.turn
    while rest > 0, next < waiting.count {
      rest -= 1
      waiting[next].resume()
      next += 1
    }
    if isEmpty {
      waiting.removeAll(keepingCapacity: true)
      next = 0
    }
  }

  /// Lets everybody go on, as the loop stops.
  func resumeAll() {
    while next < waiting.count {
      waiting[next].resume()
      next += 1
    }
  }
}
