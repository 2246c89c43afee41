package import FoundationEssentials

/// The backend as the console knows it: where it is, and, where it is the embedded one, the handles that no route carries.
package struct BackendLink: Sendable {
  /// The backend's origin, `https://host:port`.
  package let origin: String
  /// Under what a device's data of this backend is kept (contract §3): the origin, or the id of the embedded one's data.
  package let id: String
  /// The hosts whose deep links are accepted beside those of the backend's configuration.
  package let linkHosts: [String]
  /// The embedded backend's handles; nil for any other.
  package let embedded: EmbeddedBackend?

  /// Makes a link of its parts.
  package init(origin: String, id: String, linkHosts: [String], embedded: EmbeddedBackend?) {
    self.origin = origin
    self.id = id
    self.linkHosts = linkHosts
    self.embedded = embedded
  }
}

/// What the console may do with the embedded backend beside calling it, as closures handed over in the composition.
package struct EmbeddedBackend: Sendable {
  /// A delivered message.
  package struct Message: Hashable, Sendable {
    package let id: String
    package let to: String
    package let kind: String
    package let subject: String
    package let text: String
    package let link: String?
    package let code: String?
    package let deliveredAt: Date
    package let expiresAt: Date

    /// Makes a message of its parts.
    package init(
      id: String, to: String, kind: String, subject: String, text: String, link: String?, code: String?, deliveredAt: Date,
      expiresAt: Date
    ) {
      self.id = id
      self.to = to
      self.kind = kind
      self.subject = subject
      self.text = text
      self.link = link
      self.code = code
      self.deliveredAt = deliveredAt
      self.expiresAt = expiresAt
    }
  }

  /// The messages to any of the identifiers (`nil`: to all), after the message with the id, oldest first; waits that long for one.
  package var messages: @Sendable (_ to: Set<String>?, _ after: String?, _ wait: Duration) async -> [Message]
  /// Every message as it is delivered.
  package var deliveries: @Sendable () -> AsyncStream<Message>
  /// Moves the backend's clock by seconds and returns how far it is ahead; nil where it may not be moved so.
  package var advanceClock: @Sendable (_ seconds: Int) async -> Int?
  /// Sets the backend's clock right again.
  package var resetClock: @Sendable () async -> Void
  /// What the backend's clock shows.
  package var now: @Sendable () -> Date
  /// Sets how often messages are sent, `prod`, `relaxed` or `off`; returns the mode, nil for another word.
  package var setLimits: @Sendable (_ mode: String) async -> String?
  /// Goes back to the mode it was started with, with nothing counted; returns it.
  package var resetLimits: @Sendable () async -> String
  /// Forgets accounts, sessions and messages; false where they could not be removed.
  package var reset: @Sendable () async -> Bool

  /// Makes the handles of their closures.
  package init(
    messages: @escaping @Sendable (Set<String>?, String?, Duration) async -> [Message],
    deliveries: @escaping @Sendable () -> AsyncStream<Message>, advanceClock: @escaping @Sendable (Int) async -> Int?,
    resetClock: @escaping @Sendable () async -> Void, now: @escaping @Sendable () -> Date,
    setLimits: @escaping @Sendable (String) async -> String?, resetLimits: @escaping @Sendable () async -> String,
    reset: @escaping @Sendable () async -> Bool
  ) {
    self.messages = messages
    self.deliveries = deliveries
    self.advanceClock = advanceClock
    self.resetClock = resetClock
    self.now = now
    self.setLimits = setLimits
    self.resetLimits = resetLimits
    self.reset = reset
  }
}
