/// One file of an export, produced in pieces, so that no file has to be kept in memory.
///
/// A piece must have the same bytes each time: an export is produced twice, once to be scanned and once to be sent.
package struct ExportFile: Sendable {
  /// The path within the bundle, with `/` between folders; printable ASCII without spaces.
  package let name: String
  /// The number of pieces.
  package let pieceCount: Int
  /// The indices of the pieces that are the program's own text, without data of a session.
  let constantPieces: Set<Int>
  /// Returns the bytes of the piece at an index in `0 ..< pieceCount`.
  package let piece: @Sendable (Int) -> [UInt8]

  package init(
    name: String, pieceCount: Int, constantPieces: Set<Int> = [], piece: @escaping @Sendable (Int) -> [UInt8]
  ) {
    self.name = name
    self.pieceCount = pieceCount
    self.constantPieces = constantPieces
    self.piece = piece
  }

  /// Creates a file of one piece.
  package init(name: String, piece: @escaping @Sendable () -> [UInt8]) {
    self.init(name: name, pieceCount: 1) { _ in piece() }
  }
}

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
