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
