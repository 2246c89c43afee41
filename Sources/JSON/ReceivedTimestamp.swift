/// An instant as another program wrote it, which is sent back in the same form.
///
/// A backend may compare the text, and its text may be more precise than a `Timestamp`, which has milliseconds. Two values are
/// equal if both the instant and the form are.
package struct ReceivedTimestamp: Codable, Hashable, Sendable {
  /// The instant, rounded down to milliseconds.
  package let instant: Timestamp
  /// The JSON text, with the quotes of a string; nil for the form of `Timestamp.text`.
  private let literal: String?

  /// The most bytes of a JSON text that is kept; a longer one is replaced by the form of `Timestamp.text`.
  private static let maximumLength = 64

  /// Creates an instant in the form of `Timestamp.text`.
  package init(_ instant: Timestamp) {
    self.instant = instant
    literal = nil
  }

  /// Creates an instant with its JSON text from a backend; drops a text of another instant.
  package init(_ instant: Timestamp, json: String?) {
    let read = json.flatMap {
      try? JSONCoding.decodeTolerantly(Self.self, from: JSONDocument(parsing: Array($0.utf8)), notes: JSONReadNotes())
    }
    self = read?.instant == instant ? read ?? Self(instant) : Self(instant)
  }

  private init(_ instant: Timestamp, writtenAs node: JSONNode) {
    let text = node.sourceText
    self.instant = instant
    literal = text.utf8.count > Self.maximumLength || text == "\"\(instant.text)\"" ? nil : text
  }

  /// The JSON text to keep with the instant; nil if it is that of `Timestamp.text`.
  package var differingJSON: String? { literal }
  /// The JSON text, with the quotes of a string.
  var json: String { literal ?? "\"\(instant.text)\"" }

  /// Decodes a string; throws `JSONError` if it is not an instant. A tolerant decoding accepts the same forms as `Timestamp`.
  package init(from decoder: any Decoder) throws {
    guard let decoder = decoder as? JSONNodeDecoder else {
      self.init(try Timestamp(from: decoder))
      return
    }
    self = try decoder.leaf()
  }

  /// Encodes the instant as it was written; an encoder of another module gets `Timestamp.text`.
  package func encode(to encoder: any Encoder) throws {
    guard let encoder = encoder as? JSONValueEncoder else { return try instant.encode(to: encoder) }
    try encoder.output.write(leaf: self)
  }
}

extension ReceivedTimestamp: JSONLeaf {
  init?(exactly node: JSONNode) {
    guard let instant = Timestamp(exactly: node) else { return nil }
    self.init(instant, writtenAs: node)
  }

  init?(converting node: JSONNode) {
    guard let instant = Timestamp(converting: node) else { return nil }
    self.init(instant, writtenAs: node)
  }

  func write(to writer: inout JSONWriter) { writer.raw(json) }
}
