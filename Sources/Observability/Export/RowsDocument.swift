import JSON

/// Rows whole, as the console's detail answers them: a JSON array with a row a line.
enum RowsDocument {
  /// The file in pieces: a row a piece, and the end.
  static func file(name: String, rows: [NetworkRowDetail]) -> ExportFile {
    ExportFile(name: name, pieceCount: rows.count + 1) { index in
      guard index < rows.count else { return Array((rows.isEmpty ? "[]\n" : "\n]\n").utf8) }
      return Array((index == 0 ? "[\n" : ",\n").utf8) + rows[index].json
    }
  }
}
