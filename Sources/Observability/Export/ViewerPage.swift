/// The bundle as one page that a browser opens from a disk: no request, one classic script, the rows as data within.
enum ViewerPage {
  /// How many rows the page carries; more are in `rows.json`.
  private static let rowLimit = 2000

  /// The page in pieces: what stands before the rows, a row a piece, what stands behind.
  static func file(name: String, rows: [NetworkRowDetail], surroundings: ExportBundle.Surroundings) -> ExportFile {
    let shown = Array(rows.suffix(rowLimit))
    return ExportFile(name: name, pieceCount: shown.count + 2) { index in
      switch index {
      case 0: Array((ViewerText.head + "[").utf8)
      case shown.count + 1: tail(surroundings, left: rows.count - shown.count)
      default: (index == 1 ? [] : Array(",\n".utf8)) + inert(shown[index - 1].json)
      }
    }
  }

  private static func tail(_ surroundings: ExportBundle.Surroundings, left: Int) -> [UInt8] {
    var facts = surroundings.versions(rowCount: left)
    facts.removeLast()
    return Array("]".utf8) + Array(ViewerText.facts.utf8) + inert(facts) + Array(ViewerText.end.utf8)
  }

  /// JSON that cannot end the element that it stands in: `<` as an escape.
  private static func inert(_ json: [UInt8]) -> [UInt8] {
    guard json.contains(UInt8(ascii: "<")) else { return json }
    var bytes: [UInt8] = []
    for byte in json {
      if byte == UInt8(ascii: "<") { bytes.append(contentsOf: #"\u003c"#.utf8) } else { bytes.append(byte) }
    }
    return bytes
  }
}
