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

  /// How soon a message from another backend is found.
  private static let interval = Duration.milliseconds(250)

  private let state: Locked<State>
  private let source: (@Sendable () async -> [InboxMessage]?)?

  /// Creates an inbox with the messages of an earlier run, oldest first.
  ///
  /// `source` returns the messages of all backends that share a database; nil if it cannot be read now.
  init(_ messages: [InboxMessage] = [], source: (@Sendable () async -> [InboxMessage]?)? = nil) {
    state = Locked(State(messages: messages))
    self.source = source
  }

  /// Returns the messages to any of the normalized identifiers (nil for all) after the message with that id, oldest first.
  ///
  /// If the id is nil or unknown, starts with the oldest message. If there is none, waits until one arrives or `wait` has passed.
  package func messages(to: Set<String>?, after: String? = nil, wait: Duration = .zero) async -> [InboxMessage] {
    // Subscribe before reading, so that no message is missed in between.
    var arrivals = deliveries()
    var found = await current(to: to, after: after)
    let end = ContinuousClock.now + wait
    while found.isEmpty, case let rest = end - .now, rest > .zero, !Task.isCancelled {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { [arrivals] in
          for await message in arrivals where to?.contains(message.to) ?? true { return }
        }
        group.addTask { [source] in
          try? await ContinuousClock().sleep(for: source == nil ? rest : min(rest, Self.interval))
        }
        await group.next()
        group.cancelAll()
      }
      // The end of a task ended its stream.
      arrivals = deliveries()
      found = await current(to: to, after: after)
    }
    return found
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

  private func current(to: Set<String>?, after: String?) async -> [InboxMessage] {
    let shared = await source?()
    return state.withLock { state in
      if let shared { state.messages = shared }
      let start = state.messages.firstIndex { $0.id == after }.map { $0 + 1 } ?? 0
      return state.messages[start...].filter { to?.contains($0.to) ?? true }
    }
  }
}
