/// The bundle as one HTML page that opens from disk: no requests, one classic script, and the rows as embedded data.
enum ViewerPage {
  /// The most rows in the page; `rows.json` contains all of them.
  private static let rowLimit = 2000

  /// The page in pieces: the beginning, one piece for each row, and the end.
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
    var bytes = Array("]".utf8)
    for (id, json) in [
      ("about", facts), ("timeline", ExportBundle.list(surroundings.timeline)), ("faults", surroundings.faults),
      ("words", Array(ViewerWords.json.utf8)),
    ] {
      bytes += Array(ViewerText.next(id).utf8) + inert(json)
    }
    return bytes + Array(ViewerText.end.utf8)
  }

  /// JSON that cannot end the surrounding element: `<` is escaped.
  private static func inert(_ json: [UInt8]) -> [UInt8] {
    guard json.contains(UInt8(ascii: "<")) else { return json }
    var bytes: [UInt8] = []
    for byte in json {
      if byte == UInt8(ascii: "<") { bytes.append(contentsOf: #"\u003c"#.utf8) } else { bytes.append(byte) }
    }
    return bytes
  }
}
