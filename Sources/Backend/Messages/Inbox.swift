import Locking
import Vault

/// The messages that were sent, for developers to read.
package final class Inbox: Sendable {
  /// The most messages that are stored; beyond it, the oldest are deleted.
  static let capacity = 500

  private struct State {
    var messages: [InboxMessage] = []
    var streams: [String: AsyncStream<InboxMessage>.Continuation] = [:]
  }

  private let state: Locked<State>

  /// Creates an inbox with the messages of an earlier run, oldest first.
  init(_ messages: [InboxMessage] = []) { state = Locked(State(messages: messages)) }

  /// Returns the messages to any of the normalized identifiers (nil for all) after the message with that id, oldest first.
  ///
  /// If the id is nil or unknown, starts with the oldest message. If there is none, waits until one arrives or `wait` has passed.
  package func messages(to: Set<String>?, after: String? = nil, wait: Duration = .zero) async -> [InboxMessage] {
    // Subscribe before reading, so that no message is missed in between.
    let arrivals = deliveries()
    let present = stored(to: to, after: after)
    guard present.isEmpty, wait > .zero else { return present }
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        for await message in arrivals where to?.contains(message.to) ?? true { return }
      }
      group.addTask { try? await ContinuousClock().sleep(for: wait) }
      await group.next()
      group.cancelAll()
    }
    return stored(to: to, after: after)
  }

  var count: Int { state.withLock { $0.messages.count } }

  /// Returns a stream of all later messages.
  package func deliveries() -> AsyncStream<InboxMessage> {
    let (stream, continuation) = AsyncStream.makeStream(of: InboxMessage.self, bufferingPolicy: .bufferingNewest(Self.capacity))
    let key = SecureRandom.uuid()
    continuation.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.streams.removeValue(forKey: key) }
    }
    state.withLock { $0.streams[key] = continuation }
    return stream
  }

  /// Adds a message and wakes the calls that wait for it.
  func deliver(_ message: InboxMessage) {
    let streams = state.withLock { state in
      if state.messages.count >= Self.capacity { state.messages.removeFirst() }
      state.messages.append(message)
      return Array(state.streams.values)
    }
    for stream in streams { stream.yield(message) }
  }

  /// Removes the messages to those normalized identifiers.
  func remove(to identifiers: Set<String>) {
    state.withLock { state in state.messages.removeAll { identifiers.contains($0.to) } }
  }

  func clear() { state.withLock { $0.messages.removeAll() } }

  private func stored(to: Set<String>?, after: String?) -> [InboxMessage] {
    state.withLock { state in
      let start = state.messages.firstIndex { $0.id == after }.map { $0 + 1 } ?? 0
      return state.messages[start...].filter { to?.contains($0.to) ?? true }
    }
  }
}
