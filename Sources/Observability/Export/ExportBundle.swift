import Explain
package import JSON
package import Redaction
import Text

/// Everything needed to understand a session without access to the machine, as the files of one archive.
package struct ExportBundle: Sendable {
  /// The information about the session in addition to its rows.
  package struct Surroundings: Sendable {
    /// The version of Understudy.
    package let version: String
    /// The time of the export.
    package let createdAt: Timestamp
    /// The backend's origin.
    package let backend: String
    /// Whether the backend is the embedded one.
    package let isEmbedded: Bool
    /// The session's state, such as `authenticated`.
    package let session: String
    /// The number of rows evicted from the log.
    package let dropped: UInt64
    /// The timeline, oldest first.
    package let timeline: [TimelineEntry]
    /// The active fault rules as a JSON array.
    package let faults: [UInt8]

    package init(
      version: String, createdAt: Timestamp, backend: String, isEmbedded: Bool, session: String, dropped: UInt64,
      timeline: [TimelineEntry], faults: [UInt8]
    ) {
      self.version = version
      self.createdAt = createdAt
      self.backend = backend
      self.isEmbedded = isEmbedded
      self.session = session
      self.dropped = dropped
      self.timeline = timeline
      self.faults = faults
    }
  }

  /// The rows.
  package let selection: ExportSelection
  /// The other information.
  package let surroundings: Surroundings
  /// The page that shows the bundle; an archive without one has no `viewer.html`.
  private let viewer: ViewerPage?

  package init(selection: ExportSelection, surroundings: Surroundings, viewer: ViewerPage?) {
    self.selection = selection
    self.surroundings = surroundings
    self.viewer = viewer
  }

  /// The bundle, with all secrets masked that became known after the rows were recorded.
  package func masked(by registry: SecretRegistry) -> ExportBundle {
    ExportBundle(selection: selection.masked(by: registry), surroundings: surroundings, viewer: viewer)
  }

  /// The number of masked secrets in the rows.
  package var maskCount: Int { selection.rows.lazy.flatMap(\.redactions).map(\.count).clampedSum }

  /// Only the HAR file.
  package var har: ExportFile {
    HARDocument.file(name: "session.har", rows: selection.rows, version: surroundings.version)
  }

  /// The rows as `GET /api/network/{id}` returns them: a JSON array.
  package var json: ExportFile { RowsDocument.file(name: "rows.json", rows: selection.rows) }

  /// The files of the archive, except the list of digests.
  package var files: [ExportFile] {
    let rows = selection.rows
    let around = surroundings
    let explanation = selection.isWhole ? Explanation(of: rows) : nil
    let report = ExportFile(name: "report.md") {
      Array(SessionReport.text(rows: rows, explanation: explanation, surroundings: around).utf8)
    }
    let page = viewer.map { [$0.file(name: "viewer.html", rows: rows, explanation: explanation, surroundings: around)] } ?? []
    return [report] + page + [
      har, json,
      ExportFile(name: "timeline.json") { Self.list(around.timeline) },
      ExportFile(name: "faults.json") { around.faults + [0x0a] },
      ExportFile(name: "versions.json") { around.versions(rowCount: rows.count) },
      ExportFile(name: "redactions.json") { RedactionReport.json(rows) },
    ] + curlFiles
  }

  /// One script for each row, named by its `seq`.
  private var curlFiles: [ExportFile] {
    selection.rows.map { detail in
      ExportFile(name: Self.scriptName(detail.row)) { Array(CurlCommand(detail).script.utf8) }
    }
  }

  /// A name such as `curl/000012-POST-shuffle_cues.sh`, in characters that every file system supports.
  private static func scriptName(_ row: NetworkRow) -> String {
    let digits = row.seq.description
    func word(_ text: String) -> String {
      String(decoding: text.utf8.map { ASCII.isAlphanumeric($0) ? $0 : UInt8(ascii: "_") }.prefix(40), as: UTF8.self)
    }
    return
      "curl/\(String(repeating: "0", count: max(0, 6 - digits.utf8.count)))\(digits)-\(word(row.method))-\(word(row.endpoint)).sh"
  }

  /// The list of digests in the format of `sha256sum --check`.
  package static func digests(_ digests: [ExportScan.Digest]) -> ExportFile {
    ExportFile(name: "SHA256SUMS") { Array(digests.map { "\($0.sha256)  \($0.name)\n" }.joined().utf8) }
  }

  /// The values as a JSON array, one on each line.
  static func list(_ values: [some Encodable & Sendable]) -> [UInt8] {
    var bytes: [UInt8] = [UInt8(ascii: "[")]
    for (index, value) in values.enumerated() {
      bytes += Array((index == 0 ? "\n" : ",\n").utf8)
      bytes += (try? JSONCoding.encode(value)) ?? Array("null".utf8)
    }
    return bytes + Array("\n]\n".utf8)
  }
}

extension ExportBundle.Surroundings {
  /// The versions and settings, as `versions.json`.
  func versions(rowCount: Int) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("understudy", version)
    writer.member("created_at", createdAt.text)
    writer.member("backend", backend)
    writer.key("embedded")
    writer.flag(isEmbedded)
    writer.member("session", session)
    writer.member("rows", rowCount)
    writer.member("dropped", dropped)
    writer.member("har", "1.2")
    writer.endObject()
    return writer.bytes + [0x0a]
  }
}

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
