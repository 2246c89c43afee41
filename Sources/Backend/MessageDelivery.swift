import Vault

/// Carries messages to the inbox in their order, away from the call that caused them, so that its answer takes as long without one.
final class MessageDelivery: Sendable {
  private let queue: AsyncStream<Parcel>.Continuation

  /// A message to deliver, or the stand-in for one to an identifier that has no account.
  struct Parcel: Sendable {
    let message: InboxMessage
    let isDecoy: Bool
  }

  /// Starts carrying to `inbox`, until this object is gone.
  init(to inbox: Inbox) {
    let (parcels, queue) = AsyncStream.makeStream(of: Parcel.self)
    self.queue = queue
    Task {
      for await parcel in parcels where !parcel.isDecoy { inbox.deliver(parcel.message) }
    }
  }

  deinit { queue.finish() }

  /// Hands a message over and returns at once.
  func send(_ parcel: Parcel) { queue.yield(parcel) }
}
