package import JSON

/// Something that happened to a device, as its timeline shows it (contract §2.3); no member holds what names a person.
package struct TimelineEntry: Codable, Hashable, Sendable {
  /// What kind of thing happened.
  package enum Kind: String, Codable, CaseIterable, Sendable {
    /// The session moved from one state to another.
    case session
    /// The app reported how it is used.
    case analytics
    /// A fault rule acted.
    case fault
  }

  /// Its place in the timeline, from 1 on; never given twice.
  package let seq: UInt64
  /// When it happened.
  package let at: Timestamp
  package let kind: Kind
  /// What was before: a session state, a language code, `on` or `off`.
  package let from: String?
  /// What is now.
  package let to: String?
  /// What it is called: an event's name or a fault's id.
  package let name: String?
  /// Why, as a stable word.
  package let reason: String?
  /// The row of the network log that caused it, where known; the row may have given way since.
  package internal(set) var rowID: String?

  private enum CodingKeys: String, CodingKey {
    case seq, at, kind, from, to, name, reason
    case rowID = "row_id"
  }
}
