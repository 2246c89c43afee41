package import JSON

/// An event of a device, as `GET /api/timeline` returns it; no member contains personal data.
package struct TimelineEntry: Codable, Hashable, Sendable {
  /// The kind of event.
  package enum Kind: String, Codable, CaseIterable, Sendable {
    /// The session changed its state.
    case session
    /// The app reported an analytics event.
    case analytics
    /// A fault rule applied.
    case fault
  }

  /// The position in the timeline, from 1; never reused.
  package let seq: UInt64
  /// The time of the event.
  package let at: Timestamp
  package let kind: Kind
  /// The previous value: a session state, a language code, `on` or `off`.
  package let from: String?
  /// The new value.
  package let to: String?
  /// The name of an analytics event, or the ID of a fault rule.
  package let name: String?
  /// The reason, as a stable code.
  package let reason: String?
  /// The row of the network log that caused the event, if known; it may have been evicted.
  package internal(set) var rowID: String?

  private enum CodingKeys: String, CodingKey {
    case seq, at, kind, from, to, name, reason
    case rowID = "row_id"
  }
}
