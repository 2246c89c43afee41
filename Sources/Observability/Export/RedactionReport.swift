import Redaction
import Text

/// The number of masked secrets in the rows of an export, by kind and by place.
enum RedactionReport {
  /// The report as JSON.
  static func json(_ rows: [NetworkRowDetail]) -> [UInt8] {
    var kinds: [SecretKind: Int] = [:]
    var places: [Redaction.Place: Int] = [:]
    var notes: [BodyNote: Int] = [:]
    var masked = 0
    for row in rows {
      for redaction in row.redactions {
        kinds[redaction.kind] = (kinds[redaction.kind] ?? 0).addingClamped(redaction.count)
        places[redaction.place] = (places[redaction.place] ?? 0).addingClamped(redaction.count)
      }
      for note in [row.request.bodyNote, row.response?.bodyNote] { if let note { notes[note, default: 0] += 1 } }
      if !row.redactions.isEmpty { masked += 1 }
    }
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("rows", rows.count)
    writer.member("rows_with_masks", masked)
    write("by_kind", SecretKind.allCases.map { ($0.rawValue, kinds[$0] ?? 0) }, into: &writer)
    write("by_place", Redaction.Place.allCases.map { ($0.rawValue, places[$0] ?? 0) }, into: &writer)
    write("bodies_left_out", BodyNote.allCases.map { ($0.rawValue, notes[$0] ?? 0) }, into: &writer)
    writer.endObject()
    return writer.bytes + [0x0a]
  }

  private static func write(_ name: String, _ counts: [(String, Int)], into writer: inout JSONWriter) {
    writer.key(name)
    writer.beginObject()
    for (name, count) in counts where count > 0 { writer.member(name, count) }
    writer.endObject()
  }
}
