import Explain
import JSON

/// The first page of a bundle in Markdown: why the session ended, the environment, the failures and where to find more.
enum SessionReport {
  /// How many failed attempts are reported in full, and how many rows and entries are listed; the other files contain the rest.
  private static let failureLimit = 20
  private static let rowLimit = 500

  /// The report as Markdown; without an explanation, it omits the end of the session.
  static func text(
    rows: [NetworkRowDetail], explanation: Explanation?, surroundings: ExportBundle.Surroundings
  ) -> String {
    let failures = rows.filter { $0.row.state == .failure }
    let faulted = rows.count { $0.row.isFaulted }
    var text = """
      # Session report

      \(explanation.map { summary(of: $0) + "\n" } ?? "")| | |
      |---|---|
      | Made | \(surroundings.createdAt.text) |
      | Understudy | \(MarkdownText.cell(surroundings.version)) |
      | Backend | \(MarkdownText.cell(surroundings.backend))\(surroundings.isEmbedded ? " (built-in)" : "") |
      | Session | \(MarkdownText.cell(surroundings.session)) |
      | Requests | \(rows.count), \(failures.count) failed\(faulted > 0 ? ", \(faulted) under a fault rule" : "")\(surroundings.dropped > 0 ? ", \(surroundings.dropped) older ones were dropped" : "") |
      | Time | \(rows.first?.row.startedAt.text ?? "none") to \(rows.last?.row.startedAt.text ?? "none") |
      | Masked values | \(MarkdownReport.redactions(rows.flatMap(\.redactions))) |


      """
    text += "## What was done\n\n"
    text += "What was expected:\n\nWhat happened:\n\n"
    text += "## Requests\n\n" + table(rows)
    if !surroundings.timeline.isEmpty { text += "\n## Timeline\n\n" + timeline(surroundings.timeline) }
    if !failures.isEmpty {
      text += "\n## What failed\n\n"
      for failure in failures.prefix(failureLimit) { text += MarkdownReport.text(failure) + "\n" }
      if failures.count > failureLimit { text += "\(failures.count - failureLimit) more are in rows.json.\n" }
    }
    text += """

      ## Files

      - `viewer.html`: the whole session, in a browser, offline
      - `session.har`: the requests for other tools (HAR 1.2)
      - `rows.json`: the complete requests
      - `curl/`: each request as a command; variables replace secrets
      - `timeline.json`, `faults.json`, `versions.json`, `redactions.json`
      - `SHA256SUMS`: check with `sha256sum --check SHA256SUMS`

      """
    return text
  }

  /// The verdict, the findings with their rows, and the missing evidence.
  private static func summary(of explanation: Explanation) -> String {
    var text = "**\(explanation.headline)**\n"
    for finding in explanation.findings {
      let rows = finding.rows.map(String.init).joined(separator: ", ")
      text += "\n- \(MarkdownText.plain(finding.say)) (\(finding.rows.count == 1 ? "Row" : "Rows"): \(rows))"
    }
    for missing in explanation.missing { text += "\n- Not known: \(MarkdownText.plain(missing))" }
    return explanation.findings.isEmpty && explanation.missing.isEmpty ? text : text + "\n"
  }

  private static func table(_ rows: [NetworkRowDetail]) -> String {
    var text = "| # | Time | Request | Outcome | ms | Action |\n|--:|---|---|---|--:|---|\n"
    for detail in rows.prefix(rowLimit) {
      let row = detail.row
      text += "| \(row.seq) | \(row.startedAt.text.dropFirst(11)) | \(MarkdownText.cell("\(row.method) \(row.path)")) "
      text += "| \(MarkdownReport.outcome(row)) | \(row.durationMilliseconds.map { "\($0)" } ?? "") "
      text += "| \(MarkdownText.cell(row.flow)) |\n"
    }
    if rows.count > rowLimit { text += "\n\(rows.count - rowLimit) more are in rows.json.\n" }
    return text
  }

  private static func timeline(_ entries: [TimelineEntry]) -> String {
    var text = "| Time | What | |\n|---|---|---|\n"
    for entry in entries.suffix(rowLimit) {
      let change = [entry.from, entry.to].compactMap { $0 }.joined(separator: " → ")
      let words = [entry.faultName ?? entry.name, change, entry.reason].compactMap { $0 }.filter { !$0.isEmpty }.joined(
        separator: ", ")
      text += "| \(entry.at.text.dropFirst(11)) | \(entry.kind.rawValue) | \(MarkdownText.cell(words)) |\n"
    }
    return text
  }
}
