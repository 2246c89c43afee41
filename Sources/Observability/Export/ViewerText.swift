/// The constant parts of the viewer page.
enum ViewerText {
  /// Everything before the rows.
  static let head = """
    <!doctype html>
    <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
    <meta name="color-scheme" content="light dark"><title>Understudy session</title>
    <style>
    \(style)
    </style></head>
    <body>
    <header><h1>Session</h1><p id="facts"></p>
    <input id="filter" type="search" aria-label="Filter" placeholder="Filter: path, status, error" autocomplete="off"></header>
    <main><div id="list" role="listbox" aria-label="Requests" tabindex="0"></div>
    <section id="detail" aria-label="Request" tabindex="0"><p>Choose a request.</p></section></main>
    <script type="application/json" id="rows">
    """

  /// The text between the rows and the metadata.
  static let facts = "</script>\n<script type=\"application/json\" id=\"about\">"

  /// Everything after the metadata.
  static let end = """
    </script>
    <script>
    \(script)
    </script></body></html>

    """

  private static let style = """
    :root { font: 13px/1.45 system-ui, sans-serif; --line: color-mix(in srgb, currentColor 18%, transparent); }
    * { box-sizing: border-box; } body { margin: 0; height: 100vh; display: flex; flex-direction: column; }
    header { padding: 8px 12px; border-block-end: 1px solid var(--line); display: flex; gap: 12px; align-items: baseline; flex-wrap: wrap; }
    h1 { font-size: 14px; margin: 0; } header p { margin: 0; opacity: .75; flex: 1; } input { font: inherit; padding: 4px 8px; min-width: 18em; }
    main { flex: 1; min-height: 0; display: grid; grid-template-columns: minmax(20em, 1fr) minmax(20em, 1.2fr); }
    #list, #detail { overflow: auto; } #detail { border-inline-start: 1px solid var(--line); padding: 8px 12px; }
    .row { display: grid; grid-template-columns: 4em 8em 4em 1fr 9em 5em; gap: 8px; height: 28px; align-items: center; padding: 0 12px; cursor: default; }
    .row > * { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-variant-numeric: tabular-nums; }
    .row[aria-selected=true] { background: color-mix(in srgb, Highlight 30%, transparent); } .bad { color: light-dark(#b3261e, #ff8a80); }
    pre { white-space: pre-wrap; overflow-wrap: anywhere; background: color-mix(in srgb, currentColor 6%, transparent); padding: 8px; margin: 4px 0 12px; }
    h2 { font-size: 13px; margin: 12px 0 4px; } dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 12px; margin: 0; } dd { margin: 0; overflow-wrap: anywhere; }
    """

  private static let script = """
    (function () {
      "use strict";
      var rows = JSON.parse(document.getElementById("rows").textContent);
      var about = JSON.parse(document.getElementById("about").textContent);
      var list = document.getElementById("list"), detail = document.getElementById("detail"), filter = document.getElementById("filter");
      var shown = [], chosen = -1;
      function add(parent, tag, text, name) {
        var node = document.createElement(tag);
        if (text !== undefined) node.textContent = text;
        if (name) node.className = name;
        parent.appendChild(node);
        return node;
      }
      document.getElementById("facts").textContent = rows.length + " requests \\u00b7 " + about.backend + " \\u00b7 Understudy " +
        about.understudy + " \\u00b7 " + about.created_at + (about.rows ? " \\u00b7 " + about.rows + " older ones are in rows.json" : "");
      function outcome(row) { return [row.status, row.error].filter(function (part) { return part !== undefined; }).join(" ") || row.state; }
      function show() {
        var wanted = filter.value.trim().toLowerCase().split(/\\s+/).filter(Boolean);
        list.replaceChildren();
        shown = rows.filter(function (row) {
          var text = [row.method, row.path, row.endpoint, row.flow, row.status, row.error].join(" ").toLowerCase();
          return wanted.every(function (word) { return text.indexOf(word) >= 0; });
        });
        shown.forEach(function (row, index) {
          var line = add(list, "div", undefined, "row" + (row.state === "failure" ? " bad" : ""));
          line.setAttribute("role", "option");
          line.id = "row-" + index;
          [row.seq, row.started_at.slice(11, 23), row.method, row.path, outcome(row), row.duration_ms === undefined ? "" : row.duration_ms]
            .forEach(function (text) { add(line, "span", String(text)); });
          line.addEventListener("click", function () { choose(index); });
        });
        chosen = -1;
      }
      function pretty(text) { try { return JSON.stringify(JSON.parse(text), null, 2); } catch (error) { return text; } }
      function message(title, part) {
        if (!part) return;
        add(detail, "h2", title);
        add(detail, "pre", part.headers.map(function (pair) { return pair[0] + ": " + pair[1]; }).join("\\n"));
        if (part.body) add(detail, "pre", pretty(part.body));
        if (part.body_note) add(detail, "p", part.body_note);
      }
      function choose(index) {
        if (index < 0 || index >= shown.length) return;
        var old = document.getElementById("row-" + chosen), line = document.getElementById("row-" + index), row = shown[index];
        if (old) old.setAttribute("aria-selected", "false");
        chosen = index;
        line.setAttribute("aria-selected", "true");
        list.setAttribute("aria-activedescendant", line.id);
        line.scrollIntoView({ block: "nearest" });
        detail.replaceChildren();
        add(detail, "h2", row.method + " " + row.url);
        var facts = add(detail, "dl");
        [["Outcome", outcome(row)], ["Endpoint", row.endpoint], ["User action", row.flow], ["Attempt", row.attempt], ["Source", row.source],
          ["Fault", row.fault_id], ["Caused by", row.parent_id], ["Row", row.id], ["Error", row.error_detail]].forEach(function (pair) {
          if (pair[1] === undefined) return;
          add(facts, "dt", pair[0]);
          add(facts, "dd", String(pair[1]));
        });
        if (row.drift) {
          add(detail, "h2", "Drift");
          add(detail, "pre", row.drift.map(function (one) {
            return one.where + " " + one.pointer + ": expected " + one.expected + ", got " + one.got;
          }).join("\\n"));
        }
        message("Request", row.request);
        message("Response", row.response);
        add(detail, "h2", "Timing");
        add(detail, "pre", JSON.stringify(row.timings, null, 2));
      }
      filter.addEventListener("input", show);
      list.addEventListener("keydown", function (event) {
        var step = { ArrowDown: 1, ArrowUp: -1, Home: -shown.length, End: shown.length }[event.key];
        if (!step) return;
        event.preventDefault();
        choose(Math.min(Math.max(chosen + step, 0), shown.length - 1));
      });
      show();
    })();
    """
}
