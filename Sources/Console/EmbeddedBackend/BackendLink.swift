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

  /// What a mail scanner's visit to a message's link did.
  package struct Scan: Hashable, Sendable {
    /// One request and its status; nil where no answer came.
    package struct Step: Hashable, Sendable {
      package let method: String
      package let status: Int?

      /// Makes a step of its parts.
      package init(method: String, status: Int?) {
        self.method = method
        self.status = status
      }
    }

    /// The page that was asked for, without what identifies the link.
    package let url: String
    package let steps: [Step]
    /// Whether link and code can be redeemed as before.
    package let isUnchanged: Bool

    /// Makes a scan of its parts.
    package init(url: String, steps: [Step], isUnchanged: Bool) {
      self.url = url
      self.steps = steps
      self.isUnchanged = isUnchanged
    }
  }

  /// What the limits count.
  package struct Limits: Hashable, Sendable {
    /// The messages of one identifier within the hour.
    package struct Entry: Hashable, Sendable {
      package let identifier: String
      package let sent: Int
      package let lastSentAt: Date
      /// When the next one may go.
      package let nextAt: Date

      /// Makes an entry of its parts.
      package init(identifier: String, sent: Int, lastSentAt: Date, nextAt: Date) {
        self.identifier = identifier
        self.sent = sent
        self.lastSentAt = lastSentAt
        self.nextAt = nextAt
      }
    }

    /// `prod`, `relaxed` or `off`.
    package let mode: String
    /// The identifier asked for last first.
    package let entries: [Entry]

    /// Makes a state of its parts.
    package init(mode: String, entries: [Entry]) {
      self.mode = mode
      self.entries = entries
    }
  }

  /// Asks for a page as somebody without cookies would; nil where no answer came.
  package typealias PageFetch = @Sendable (_ method: String, _ url: String) async -> Int?

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
  /// What the limits count now; nil where it cannot be read.
  package var limits: @Sendable () async -> Limits?
  /// Visits the link of the message with the id as mail scanners do; nil for an unknown message or one without a link.
  package var scan: @Sendable (_ messageID: String, _ fetch: @escaping PageFetch) async -> Scan?
  /// Forgets accounts, sessions and messages; false where they could not be removed.
  package var reset: @Sendable () async -> Bool

  /// Makes the handles of their closures.
  package init(
    messages: @escaping @Sendable (Set<String>?, String?, Duration) async -> [Message],
    deliveries: @escaping @Sendable () -> AsyncStream<Message>, advanceClock: @escaping @Sendable (Int) async -> Int?,
    resetClock: @escaping @Sendable () async -> Void, now: @escaping @Sendable () -> Date,
    setLimits: @escaping @Sendable (String) async -> String?, resetLimits: @escaping @Sendable () async -> String,
    limits: @escaping @Sendable () async -> Limits?, scan: @escaping @Sendable (String, @escaping PageFetch) async -> Scan?,
    reset: @escaping @Sendable () async -> Bool
  ) {
    self.messages = messages
    self.deliveries = deliveries
    self.advanceClock = advanceClock
    self.resetClock = resetClock
    self.now = now
    self.setLimits = setLimits
    self.resetLimits = resetLimits
    self.limits = limits
    self.scan = scan
    self.reset = reset
  }
}
