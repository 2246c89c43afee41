import Locking

/// A device's calls that wait for something; they end when the device stops.
final class LongPolls: Sendable {
  /// How many a device can have at a time, beside its streams.
  static let limit = 6

  private struct State {
    var cancels: [UInt64: @Sendable () -> Void] = [:]
    var next: UInt64 = 0
    var isClosed = false
  }

  private let state = Locked(State())

  /// How many there are now.
  var count: Int { state.withLock { $0.cancels.count } }

  /// Runs work that waits for something, and cancels it when the device stops; nil if too much waits already.
  func run<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) async -> Value? {
    let task = Task { await body() }
    let id = state.withLock { state -> UInt64? in
      let isFull = state.cancels.count >= Self.limit
      if isFull || state.isClosed { task.cancel() }
      guard !isFull else { return nil }
      state.next += 1
      state.cancels[state.next] = { task.cancel() }
      return state.next
    }
    guard let id else { return nil }
    defer { state.withLock { state in state.cancels[id] = nil } }
    return await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
  }

  /// Cancels what waits, and whatever comes later.
  func close() {
    let cancels = state.withLock { state in
      state.isClosed = true
      return Array(state.cancels.values)
    }
    for cancel in cancels { cancel() }
  }
}
