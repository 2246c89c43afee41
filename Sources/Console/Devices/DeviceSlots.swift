import Locking

/// Limits how much work of a kind runs for a device at a time; work that still runs when the device stops is canceled.
final class DeviceSlots: Sendable {
  private struct State {
    var taken: Set<UInt64> = []
    var cancels: [UInt64: @Sendable () -> Void] = [:]
    var next: UInt64 = 0
    var isClosed = false
  }

  let limit: Int
  private let state = Locked(State())

  init(limit: Int) { self.limit = limit }

  /// How many are taken.
  var takenCount: Int { state.withLock { $0.taken.count } }

  /// Starts work in a slot, off the event loop, and returns at once; false if all slots are taken.
  func start(_ work: @escaping @Sendable () async -> Void) -> Bool {
    guard let slot = take() else { return false }
    let task = Task.detached {
      await work()
      self.free(slot)
    }
    let isClosed = state.withLock { state in
      // It may have ended already.
      if state.taken.contains(slot) { state.cancels[slot] = { task.cancel() } }
      return state.isClosed
    }
    if isClosed { task.cancel() }
    return true
  }

  /// Runs work in a slot, off the event loop, and waits for it; throws `tooManyAtOnce` if all slots are taken.
  func run<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
    guard let slot = take() else { throw Problem.tooManyAtOnce }
    defer { free(slot) }
    let task = Task.detached { try await work() }
    let isClosed = state.withLock { state in
      state.cancels[slot] = { task.cancel() }
      return state.isClosed
    }
    if isClosed { task.cancel() }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  /// Cancels the running work, and later work as soon as it starts.
  func close() {
    let cancels = state.withLock { state in
      state.isClosed = true
      return Array(state.cancels.values)
    }
    for cancel in cancels { cancel() }
  }

  private func take() -> UInt64? {
    state.withLock { state in
      guard state.taken.count < limit else { return nil }
      state.next += 1
      state.taken.insert(state.next)
      return state.next
    }
  }

  private func free(_ slot: UInt64) {
    state.withLock { state in
      state.taken.remove(slot)
      state.cancels[slot] = nil
    }
  }
}

extension Problem {
  static let tooManyAtOnce = Problem(
    .tooManyAttempts, "The device already does this as often as it can at a time.", retryAfterSeconds: 1)
}
