import Locking

/// How far each device has come in the sequences of a recording.
final class ReplayPositions: Sendable {
  /// A sequence of recorded responses.
  struct SequenceID: Hashable, Sendable {
    let method: String
    let path: String
    let index: Int
  }

  private struct Position {
    /// The index of the last returned response.
    var last: Int
    /// The `Idempotency-Key` that it was given to.
    var key: String?
  }

  private struct State {
    var devices: [String: [SequenceID: Position]] = [:]
    /// The devices, oldest first.
    var order: [String] = []
  }

  /// The maximum number of remembered devices; beyond it, the oldest is removed and starts from the beginning.
  static let capacity = 1000

  private let state = Locked(State())

  /// Returns the index of the response to the next call of a device: one after another, then the last one repeatedly.
  ///
  /// A call with the previous call's key is a retry and gets the same response.
  func next(_ sequence: SequenceID, count: Int, device: String, key: String?) -> Int {
    state.withLock { state in
      guard let before = state.devices[device]?[sequence] else {
        Self.admit(device, &state)
        state.devices[device, default: [:]][sequence] = Position(last: 0, key: key)
        return 0
      }
      let isRetry = key != nil && before.key == key
      let index = isRetry ? before.last : min(before.last + 1, count - 1)
      state.devices[device]?[sequence] = Position(last: index, key: key)
      return index
    }
  }

  /// Lets a device start from the beginning.
  func restart(device: String) { state.withLock { $0.devices[device] = $0.devices[device].map { _ in [:] } } }

  private static func admit(_ device: String, _ state: inout State) {
    guard state.devices[device] == nil else { return }
    state.order.append(device)
    guard state.order.count > capacity else { return }
    state.devices[state.order.removeFirst()] = nil
  }
}
