/// One file of an export, made piece by piece, so that no file has to be held whole.
///
/// A piece is the same bytes whenever it is asked for: an export is made twice, once to be looked through and once to be sent.
package struct ExportFile: Sendable {
  /// The path within the bundle, with `/` between folders; printable ASCII without spaces.
  package let name: String
  /// How many pieces there are.
  package let pieceCount: Int
  /// The bytes of the piece at an index in `0 ..< pieceCount`.
  package let piece: @Sendable (Int) -> [UInt8]

  /// A file of so many pieces.
  package init(name: String, pieceCount: Int, piece: @escaping @Sendable (Int) -> [UInt8]) {
    self.name = name
    self.pieceCount = pieceCount
    self.piece = piece
  }

  /// A file of one piece.
  package init(name: String, piece: @escaping @Sendable () -> [UInt8]) {
    self.init(name: name, pieceCount: 1) { _ in piece() }
  }
}
