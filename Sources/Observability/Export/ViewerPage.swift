import Explain
import JSON

/// A page that shows a bundle and opens from disk: the console's pages as one file, with a place for the bundle's data.
package struct ViewerPage: Sendable {
  /// The placeholder for the data in the page.
  package static let place = "<!-- session -->"
  /// The most rows in the page; `rows.json` contains all of them.
  private static let rowLimit = 2000

  private let head: [UInt8]
  private let end: [UInt8]

  /// Splits a page at ``place``; nil if it has no such place.
  package init?(_ page: [UInt8]) {
    let place = Array(Self.place.utf8)
    guard let start = page.indices.first(where: { page[$0] == place[0] && page[$0...].starts(with: place) }) else { return nil }
    head = Array(page[..<start])
    end = Array(page[(start + place.count)...])
  }

  /// The page in pieces: its beginning, the opening of the rows, one piece for each row, the other data, and its end.
  func file(
    name: String, rows: [NetworkRowDetail], explanation: Explanation?, surroundings: ExportBundle.Surroundings
  ) -> ExportFile {
    let shown = Array(rows.suffix(Self.rowLimit))
    let last = shown.count + 3
    return ExportFile(name: name, pieceCount: last + 1, constantPieces: [0, last]) { index in
      switch index {
      case 0: head
      case 1: Array((Self.opening("rows") + "[").utf8)
      case last - 1: Self.data(explanation, surroundings, left: rows.count - shown.count)
      case last: end
      default: (index == 2 ? [] : Array(",\n".utf8)) + Self.inert(shown[index - 2].json)
      }
    }
  }

  /// The data after the rows.
  private static func data(_ explanation: Explanation?, _ surroundings: ExportBundle.Surroundings, left: Int) -> [UInt8] {
    var bytes = Array("]</script>\n".utf8)
    for (id, json) in [
      ("about", surroundings.versions(rowCount: left)), ("happenings", ExportBundle.list(surroundings.timeline)),
      ("rules", surroundings.faults), ("explanation", explanation.flatMap { try? JSONCoding.encode($0) }),
    ] {
      guard let json else { continue }
      bytes += Array(opening(id).utf8) + inert(json) + Array("</script>\n".utf8)
    }
    return bytes
  }

  private static func opening(_ id: String) -> String { "<script type=\"application/json\" id=\"\(id)\">" }

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
