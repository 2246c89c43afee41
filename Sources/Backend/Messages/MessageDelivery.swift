import Logging

/// Carries messages to the inbox in order, away from the calls that caused them: an answer takes as long without a message.
final class MessageDelivery: Sendable {
  private let queue: AsyncStream<Parcel>.Continuation

  /// A message to deliver, or the stand-in for one to an identifier that has no account.
  struct Parcel: Sendable {
    /// What would arrive.
    let message: InboxMessage
    /// Whether it is to be dropped.
    let isDecoy: Bool
  }

  /// Starts carrying to `inbox` by way of `store`, until this object is gone.
  init(to inbox: Inbox, store: MessageStore, clock: BackendClock, log: Logger) {
    let (parcels, queue) = AsyncStream.makeStream(of: Parcel.self)
    self.queue = queue
    Task {
      for await parcel in parcels {
        do {
          try await store.add(parcel, now: clock.now)
        } catch {
          log.error("message not kept for a restart", metadata: ["fault": "\(DatabaseFault.text(error))"])
        }
        if !parcel.isDecoy { inbox.deliver(parcel.message) }
      }
    }
  }

  deinit { queue.finish() }

  /// Hands a message over and returns at once.
  func send(_ parcel: Parcel) { queue.yield(parcel) }
}
