/// Limits the TLS handshake steps of one turn, each of which may compute a signature, so that a flood of new clients does not
/// delay established connections. Only the loop's thread touches it.
final class HandshakeQueue {
  /// The most steps of one turn; at about 0.2 ms each, other connections wait a few milliseconds at most.
  static let turn = 16

  private var rest = HandshakeQueue.turn
  private var waiting: [UnsafeContinuation<Void, Never>] = []
  private var next = 0

  /// Whether no task waits, so that the loop may sleep.
  var isEmpty: Bool { next == waiting.count }

  /// Returns when a step may run: at once if the turn's limit is not reached, otherwise in a later turn, in order.
  ///
  /// Must be called on the loop.
  nonisolated(nonsending) func enter() async {
    if rest > 0, isEmpty {
      rest -= 1
      return
    }
    await withUnsafeContinuation { waiting.append($0) }
  }

  /// Begins a turn and resumes the first tasks in the queue.
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

  /// Resumes every task when the loop stops.
  func resumeAll() {
    while next < waiting.count {
      waiting[next].resume()
      next += 1
    }
  }
}
