package import JSON

/// An event of a device, as `GET /api/timeline` returns it; no member contains personal data.
package struct TimelineEntry: Codable, Hashable, Sendable {
  /// The kind of event.
  package enum Kind: String, Codable, CaseIterable, Sendable {
    /// The session changed its state.
    case session
    /// The app reported an analytics event.
    case analytics
    /// A fault was armed, disarmed or removed, or it acted.
    case fault
    /// The clock of the embedded backend was moved.
    case clock
  }

  /// The position in the timeline, from 1; never reused.
  package let seq: RowSequence
  /// The time of the event.
  package let at: Timestamp
  package let kind: Kind
  /// The previous value: a session state, a fault's state, a language code, `on` or `off`.
  package let from: String?
  /// The new value; for a fault also `acted` or `removed`, for a clock the seconds that it is ahead.
  package let to: String?
  /// The name of an analytics event, or the ID of a fault rule.
  package let name: String?
  /// The fault's name at the time of the event, as a person wrote it or as the preset's English name; of a session, the fault
  /// that caused the change.
  package internal(set) var faultName: String?
  /// The preset that the fault comes from, for its name in other languages.
  package let preset: String?
  /// The reason, as a stable code.
  package let reason: String?
  /// The row of the network log that caused the event, if known; it may have been evicted.
  package internal(set) var rowID: String?

  private enum CodingKeys: String, CodingKey {
    case seq, at, kind, from, to, name, preset, reason
    case faultName = "fault_name"
    case rowID = "row_id"
  }

  package init(
    seq: RowSequence, at: Timestamp, kind: Kind, from: String? = nil, to: String? = nil, name: String? = nil,
    faultName: String? = nil, preset: String? = nil, reason: String? = nil, rowID: String? = nil
  ) {
    self.seq = seq
    self.at = at
    self.kind = kind
    self.from = from
    self.to = to
    self.name = name
    self.faultName = faultName
    self.preset = preset
    self.reason = reason
    self.rowID = rowID
  }

  /// The entry with the fault's name changed by `mask`.
  package func maskingName(_ mask: (String) -> String) -> TimelineEntry {
    var entry = self
    entry.faultName = faultName.map(mask)
    return entry
  }

  /// The entry with every text masked, for an imported file, which may contain secrets.
  package func masked(_ mask: (String) -> String) -> TimelineEntry {
    TimelineEntry(
      seq: seq, at: at, kind: kind, from: from.map(mask), to: to.map(mask), name: name.map(mask), faultName: faultName.map(mask),
      preset: preset.map(mask), reason: reason.map(mask), rowID: rowID.map(mask))
  }
}
