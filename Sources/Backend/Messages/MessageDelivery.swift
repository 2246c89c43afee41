import Logging

/// Delivers messages to the inbox in order and in the background, so that a call takes the same time with and without a message.
final class MessageDelivery: Sendable {
  private let queue: AsyncStream<Item>.Continuation

  /// A message to deliver, or a decoy for an identifier without an account.
  struct Item: Sendable {
    let message: InboxMessage
    /// Whether the message is dropped instead of delivered.
    let isDecoy: Bool
  }

  /// Starts delivering; stops when the object is deallocated.
  init(to inbox: Inbox, store: MessageStore, clock: BackendClock, log: Logger) {
    let (items, queue) = AsyncStream.makeStream(of: Item.self)
    self.queue = queue
    Task {
      for await item in items {
        do {
          try await store.add(item, now: clock.now)
        } catch {
          log.error("message could not be stored", metadata: ["fault": "\(DatabaseFault.description(of: error))"])
        }
        if !item.isDecoy { inbox.deliver(item.message) }
      }
    }
  }

  deinit { queue.finish() }

  /// Queues a message and returns at once.
  func send(_ item: Item) { queue.yield(item) }
}
