import JSON

/// Full rows as `GET /api/network/{id}` returns them: a JSON array with one row on each line.
enum RowsDocument {
  /// The file in pieces: one for each row, and the end.
  static func file(name: String, rows: [NetworkRowDetail]) -> ExportFile {
    ExportFile(name: name, pieceCount: rows.count + 1) { index in
      guard index < rows.count else { return Array((rows.isEmpty ? "[]\n" : "\n]\n").utf8) }
      return Array((index == 0 ? "[\n" : ",\n").utf8) + rows[index].json
    }
  }
}
