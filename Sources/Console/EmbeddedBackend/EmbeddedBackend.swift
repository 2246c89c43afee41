package import JSON
package import OpenAPI

/// The control of the embedded backend in addition to calling it; the composition supplies the closures.
package struct EmbeddedBackend: Sendable {
  /// A delivered message, coded as `GET /api/inbox` lists it.
  package struct Message: Codable, Hashable, Sendable, SchemaProvider {
    package let id: String
    package let to: String
    package let kind: String
    package let subject: String
    package let text: String
    package let link: String?
    package let code: String?
    package let deliveredAt: Timestamp
    package let expiresAt: Timestamp
    /// Whether link and code still work, and if not, why: `live`, `used`, `blocked`, `replaced` or `expired`.
    package let state: String

    package init(
      id: String, to: String, kind: String, subject: String, text: String, link: String?, code: String?,
      deliveredAt: Timestamp, expiresAt: Timestamp, state: String
    ) {
      self.state = state
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

    package static var schema: Schema {
      .recorded(from: Self.self).refined([
        "kind": .oneOf(["magic_link", "login_code"]), "state": .oneOf(["live", "used", "blocked", "replaced", "expired"]),
      ]).named("Message")
    }
  }

  /// The result of opening a message's link as a mail scanner does, coded as `POST /api/inbox/{id}/scan` returns it.
  package struct Scan: Codable, Hashable, Sendable, SchemaProvider {
    /// A request and its status; nil if there was no response.
    package struct Step: Codable, Hashable, Sendable {
      package let method: String
      package let status: Int?

      package init(method: String, status: Int?) {
        self.method = method
        self.status = status
      }
    }

    private enum CodingKeys: String, CodingKey {
      case url, steps
      case isUnchanged = "unchanged"
    }

    /// The URL that was opened, without the link's token.
    package let url: String
    package let steps: [Step]
    /// Whether link and code can still be redeemed.
    package let isUnchanged: Bool

    package init(url: String, steps: [Step], isUnchanged: Bool) {
      self.url = url
      self.steps = steps
      self.isUnchanged = isUnchanged
    }

    package static var schema: Schema { .recorded(from: Self.self).refined(["steps.status": .minimum(100)]) }
  }

  /// The state of the limits.
  package struct Limits: Hashable, Sendable {
    /// The messages of one identifier within the hour.
    package struct Entry: Codable, Hashable, Sendable {
      package let identifier: String
      package let sent: Int
      package let lastSentAt: Timestamp
      /// When the next one may be sent.
      package let nextAt: Timestamp

      package init(identifier: String, sent: Int, lastSentAt: Timestamp, nextAt: Timestamp) {
        self.identifier = identifier
        self.sent = sent
        self.lastSentAt = lastSentAt
        self.nextAt = nextAt
      }
    }

    /// `prod`, `relaxed` or `off`.
    package let mode: String
    /// The most recent identifier first.
    package let entries: [Entry]

    package init(mode: String, entries: [Entry]) {
      self.mode = mode
      self.entries = entries
    }
  }

  /// Requests a page without cookies; returns the status, nil if there was no response.
  package typealias PageFetch = @Sendable (_ method: String, _ url: String) async -> Int?

  /// The messages to the identifiers (nil for all), after the message with the id, oldest first; waits for one if there is none.
  package var messages: @Sendable (_ to: Set<String>?, _ after: String?, _ wait: Duration) async -> [Message]
  /// Each message when it is delivered.
  package var deliveries: @Sendable () -> AsyncStream<Message>
  /// Advances the backend's clock and returns how far it is ahead; nil if it cannot be advanced by so much.
  package var advanceClock: @Sendable (_ seconds: Int) async -> Int?
  /// Resets the backend's clock.
  package var resetClock: @Sendable () async -> Void
  /// How far the backend's clock is ahead of the machine's, in seconds.
  package var clockAhead: @Sendable () -> Int
  /// The time of the backend's clock.
  package var now: @Sendable () -> Timestamp
  /// Sets how often messages are sent: `prod`, `relaxed` or `off`; returns the mode, nil if that failed.
  package var setLimits: @Sendable (_ mode: String) async -> String?
  /// Resets the mode and the counts to those at the start; returns the mode.
  package var resetLimits: @Sendable () async -> String
  /// The state of the limits; nil if it cannot be read.
  package var limits: @Sendable () async -> Limits?
  /// Opens the link of the message with the id as a mail scanner does; nil if there is no such message or it has no link.
  package var scan: @Sendable (_ messageID: String, _ fetch: @escaping PageFetch) async -> Scan?
  /// Deletes accounts, sessions and messages; false if that failed.
  package var reset: @Sendable () async -> Bool

  package init(
    messages: @escaping @Sendable (Set<String>?, String?, Duration) async -> [Message],
    deliveries: @escaping @Sendable () -> AsyncStream<Message>, advanceClock: @escaping @Sendable (Int) async -> Int?,
    resetClock: @escaping @Sendable () async -> Void, clockAhead: @escaping @Sendable () -> Int,
    now: @escaping @Sendable () -> Timestamp,
    setLimits: @escaping @Sendable (String) async -> String?, resetLimits: @escaping @Sendable () async -> String,
    limits: @escaping @Sendable () async -> Limits?, scan: @escaping @Sendable (String, @escaping PageFetch) async -> Scan?,
    reset: @escaping @Sendable () async -> Bool
  ) {
    self.messages = messages
    self.deliveries = deliveries
    self.advanceClock = advanceClock
    self.resetClock = resetClock
    self.clockAhead = clockAhead
    self.now = now
    self.setLimits = setLimits
    self.resetLimits = resetLimits
    self.limits = limits
    self.scan = scan
    self.reset = reset
  }
}
