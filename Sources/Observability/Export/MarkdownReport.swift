import JSON
import Redaction
import Text

/// A recorded attempt as Markdown, to paste into an issue.
package enum MarkdownReport {
  /// The request, the response, the timings and a command to send the request again.
  package static func text(_ detail: NetworkRowDetail) -> String {
    let row = detail.row
    var text = "### \(MarkdownText.code("\(row.method) \(row.path)")) · \(outcome(row))\n\n"
    text += "| | |\n|---|---|\n"
    for (name, value) in facts(detail) { text += "| \(name) | \(MarkdownText.cell(value)) |\n" }
    text += "\n**Request**\n\n" + message(detail.request, lead: "\(row.method) \(detail.url)")
    if let response = detail.response {
      let reason = row.status.map { "\($0) \(ReasonPhrase.text($0))" } ?? ""
      text += "\n**Response**\n\n" + message(response, lead: reason)
    } else {
      text += "\nNo response"
      text += detail.row.errorDetail.map { ": \(MarkdownText.code($0))\n" } ?? ".\n"
    }
    if let drift = row.drift { text += "\n**Drift** from the OpenAPI document\n\n" + table(drift, count: row.driftCount) }
    text += "\n**Timing**: \(timings(detail))\n"
    text += "\n**As cURL**\n\n" + MarkdownText.block(CurlCommand(detail).text, language: "sh")
    text += "\nSecrets are masked: \(redactions(detail.redactions)).\n"
    return text
  }

  /// The outcome in a few words: status and error, or the state, and the fault rule that acted.
  static func outcome(_ row: NetworkRow) -> String {
    let parts = [row.status.map(String.init), row.error.map(MarkdownText.code)].compactMap { $0 }
    let outcome = parts.isEmpty ? row.state.rawValue : parts.joined(separator: " ")
    return outcome + (row.isFaulted ? " · fault rule" + (row.fault.map { " \(MarkdownText.cell($0.name))" } ?? "") : "")
  }

  private static func facts(_ detail: NetworkRowDetail) -> [(String, String)] {
    let row = detail.row
    var facts = [
      ("Started", row.startedAt.text), ("Endpoint", row.endpoint), ("User action", "\(row.flow) (\(row.flowID))"),
      ("Call", row.callID), ("Attempt", "\(row.attempt)"), ("Source", row.source.rawValue), ("Row", "\(row.seq) (\(row.id))"),
    ]
    if let parent = row.parentID { facts.append(("Caused by", parent)) }
    if row.isFaulted {
      facts.append(("Fault rule", row.fault.map { "\($0.name) (\($0.action))" } ?? row.faultID ?? "unknown"))
    }
    return facts
  }

  private static func message(_ message: RedactedMessage, lead: String) -> String {
    var lines = lead + "\n"
    for line in message.headers { lines += "\(line.name): \(line.value)\n" }
    var text = MarkdownText.block(lines, language: "http")
    if let body = message.body { text += "\n" + MarkdownText.block(body, language: "json") }
    if let note = message.bodyNote { text += "\nThe body was \(note.rawValue).\n" }
    return text
  }

  private static func timings(_ detail: NetworkRowDetail) -> String {
    let timings = detail.timings
    let phases: [(String, Double?)] = [
      ("queue", timings.queue), ("dns", timings.dns), ("connect", timings.connect), ("tls", timings.tls), ("send", timings.send),
      ("wait", timings.wait), ("receive", timings.receive), ("total", timings.total),
    ]
    let known = phases.compactMap { phase in phase.1.map { "\(phase.0) \($0) ms" } }
    return known.isEmpty ? "unknown" : known.joined(separator: ", ")
  }

  private static func table(_ drift: [NetworkDrift], count: Int?) -> String {
    var text = "| Message | Place | Expected | Got |\n|---|---|---|---|\n"
    for one in drift {
      let place = one.pointer.isEmpty ? "" : MarkdownText.cell(one.pointer)
      text += "| \(one.side.rawValue) | \(place) | \(MarkdownText.cell(one.expected)) "
      text += "| \(MarkdownText.cell(one.got)) |\n"
    }
    return text + (count.map { "\n\($0) differences in all.\n" } ?? "")
  }

  /// The masked secrets by kind.
  static func redactions(_ redactions: [Redaction]) -> String {
    let counts = redactions.reduce(into: [SecretKind: Int]()) { $0[$1.kind] = ($0[$1.kind] ?? 0).addingClamped($1.count) }
    let words = SecretKind.allCases.compactMap { kind in counts[kind].map { "\($0) × \(kind.rawValue)" } }
    return words.isEmpty ? "none were found" : words.joined(separator: ", ")
  }
}
