import Locking
import Vault

/// The messages that were sent, as whoever waits for them sees them.
package final class Inbox: Sendable {
  /// How many messages are kept; the oldest go first.
  static let capacity = 500

  private struct State {
    var messages: [InboxMessage] = []
    var streams: [String: AsyncStream<InboxMessage>.Continuation] = [:]
  }

  private let state: Locked<State>

  /// Begins with messages of an earlier run, oldest first.
  init(_ messages: [InboxMessage] = []) { state = Locked(State(messages: messages)) }

  /// Messages oldest first, to one of the normalized identifiers (nil for all), after the message of that id.
  ///
  /// A nil or unknown id begins with the oldest kept. Where there is none yet, holds the answer until one arrives or `wait`
  /// has passed.
  package func messages(to: Set<String>?, after: String? = nil, wait: Duration = .zero) async -> [InboxMessage] {
    // Listening begins before looking, so that nothing falls in between.
    let arrivals = deliveries()
    let present = kept(to: to, after: after)
    guard present.isEmpty, wait > .zero else { return present }
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        for await message in arrivals where to?.contains(message.to) ?? true { return }
      }
      group.addTask { try? await ContinuousClock().sleep(for: wait) }
      await group.next()
      group.cancelAll()
    }
    return kept(to: to, after: after)
  }

  /// How many messages are kept.
  var count: Int { state.withLock { $0.messages.count } }

  /// Every message from now on.
  package func deliveries() -> AsyncStream<InboxMessage> {
    let (stream, continuation) = AsyncStream.makeStream(of: InboxMessage.self, bufferingPolicy: .bufferingNewest(Self.capacity))
    let key = SecureRandom.uuid()
    continuation.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.streams.removeValue(forKey: key) }
    }
    state.withLock { $0.streams[key] = continuation }
    return stream
  }

  /// Puts a message in and wakes who waits for it.
  func deliver(_ message: InboxMessage) {
    let streams = state.withLock { state in
      if state.messages.count >= Self.capacity { state.messages.removeFirst() }
      state.messages.append(message)
      return Array(state.streams.values)
    }
    for stream in streams { stream.yield(message) }
  }

  /// Forgets the messages to those normalized identifiers.
  func remove(to identifiers: Set<String>) {
    state.withLock { state in state.messages.removeAll { identifiers.contains($0.to) } }
  }

  /// Forgets every message.
  func clear() { state.withLock { $0.messages.removeAll() } }

  private func kept(to: Set<String>?, after: String?) -> [InboxMessage] {
    state.withLock { state in
      let start = state.messages.firstIndex { $0.id == after }.map { $0 + 1 } ?? 0
      return state.messages[start...].filter { to?.contains($0.to) ?? true }
    }
  }
}
