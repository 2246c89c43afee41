package import JSON

/// Everything about a session that somebody without the machine needs to see what happened, as the files of one archive.
package struct ExportBundle: Sendable {
  /// What stands beside the rows.
  package struct Surroundings: Sendable {
    /// The product's version.
    package let version: String
    /// When the export was asked for.
    package let createdAt: Timestamp
    /// The backend's origin.
    package let backend: String
    /// Whether the backend is the embedded one.
    package let isEmbedded: Bool
    /// The session's state, such as `authenticated`.
    package let session: String
    /// How many rows the log has let go.
    package let dropped: UInt64
    /// The timeline, oldest first.
    package let timeline: [TimelineEntry]
    /// The armed fault rules: a JSON array.
    package let faults: [UInt8]

    /// What stands beside the rows.
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
  /// What stands beside them.
  package let surroundings: Surroundings

  /// A bundle of the rows and what stands beside them.
  package init(selection: ExportSelection, surroundings: Surroundings) {
    self.selection = selection
    self.surroundings = surroundings
  }

  /// The bundle without what became known as secret only after it was recorded.
  package func masked(by registry: SecretRegistry) -> ExportBundle {
    ExportBundle(selection: selection.masked(by: registry), surroundings: surroundings)
  }

  /// How many secrets are masked in the rows.
  package var maskCount: Int { selection.rows.reduce(0) { $0 + $1.redactions.reduce(0) { $0 + $1.count } } }

  /// The HAR alone.
  package var har: ExportFile {
    HARDocument.file(name: "session.har", rows: selection.rows, version: surroundings.version)
  }

  /// The rows as `GET /api/network/{id}` answers them: a JSON array.
  package var json: ExportFile { RowsDocument.file(name: "rows.json", rows: selection.rows) }

  /// The files of the archive but for the list of their digests.
  package var files: [ExportFile] {
    let (rows, around) = (selection.rows, surroundings)
    return [
      ExportFile(name: "report.md") { Array(SessionReport.text(rows: rows, surroundings: around).utf8) },
      ViewerPage.file(name: "viewer.html", rows: rows, surroundings: around),
      har, json,
      ExportFile(name: "timeline.json") { Self.list(around.timeline) },
      ExportFile(name: "faults.json") { around.faults + [0x0a] },
      ExportFile(name: "versions.json") { around.versions(rowCount: rows.count) },
      ExportFile(name: "redactions.json") { RedactionReport.json(rows) },
    ] + curlFiles
  }

  /// A script a row, numbered by the row's `seq`.
  private var curlFiles: [ExportFile] {
    selection.rows.map { detail in
      ExportFile(name: Self.scriptName(detail.row)) { Array(CurlCommand(detail).script.utf8) }
    }
  }

  /// `curl/000012-POST-shuffle_cues.sh`, in characters that every file system takes.
  static func scriptName(_ row: NetworkRow) -> String {
    let digits = String(row.seq)
    func word(_ text: String) -> String {
      String(decoding: text.utf8.map { SecretShapes.isAlphanumeric($0) ? $0 : UInt8(ascii: "_") }.prefix(40), as: UTF8.self)
    }
    return
      "curl/\(String(repeating: "0", count: max(0, 6 - digits.utf8.count)))\(digits)-\(word(row.method))-\(word(row.endpoint)).sh"
  }

  /// The list of the files' digests as `sha256sum --check` reads it.
  package static func digests(_ digests: [ExportScan.Digest]) -> ExportFile {
    ExportFile(name: "SHA256SUMS") { Array(digests.map { "\($0.sha256)  \($0.name)\n" }.joined().utf8) }
  }

  /// Values as a JSON array, one a line.
  private static func list(_ values: [some Encodable & Sendable]) -> [UInt8] {
    var bytes: [UInt8] = [UInt8(ascii: "[")]
    for (index, value) in values.enumerated() {
      bytes += Array((index == 0 ? "\n" : ",\n").utf8)
      bytes += (try? JSONCoding.encode(value)) ?? Array("null".utf8)
    }
    return bytes + Array("\n]\n".utf8)
  }
}

extension ExportBundle.Surroundings {
  /// What was in use, as `versions.json`.
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
