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

/// The constant parts of the viewer page.
enum ViewerText {
  /// Everything before the rows.
  static let head = """
    <!doctype html>
    <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
    <meta name="color-scheme" content="light dark"><title>Understudy session</title>
    <style>
    \(ViewerStyle.text)
    </style></head>
    <body>
    <header><div><h1>Understudy</h1><p id="facts"></p><select id="language"></select></div>
    <div><div role="tablist" id="views"></div><input id="filter" type="search" autocomplete="off" spellcheck="false" dir="ltr">
    <button type="button" id="failed"></button><button type="button" id="faulted"></button>
    <button type="button" id="grouped"></button></div></header>
    <main><div id="network" role="tabpanel"><div class="grid"><div class="head" id="columns" aria-hidden="true"></div>
    <div id="list" role="treegrid" tabindex="0"></div></div>
    <div id="splitter" role="separator" aria-orientation="vertical" tabindex="0" hidden></div>
    <section id="detail" tabindex="-1" hidden></section></div>
    <div id="events" role="tabpanel" tabindex="0" hidden></div></main><p id="said" role="status" class="none" hidden></p>
    <script type="application/json" id="rows">
    """

  /// What stands between two documents of data. `id` is the second one's.
  static func next(_ id: String) -> String { "</script>\n<script type=\"application/json\" id=\"\(id)\">" }

  /// Everything after the data.
  static let end = """
    </script>
    <script>
    (function () {
    "use strict";
    \(ViewerScript.core)
    \(ViewerScript.filter)
    \(ViewerScript.grid)
    \(ViewerScript.detail)
    \(ViewerScript.timeline)
    \(ViewerScript.start)
    })();
    </script></body></html>

    """
}
