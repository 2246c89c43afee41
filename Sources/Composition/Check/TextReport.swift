import Console
import Explain
import Observability
import Text

/// A report for people: one aligned line for each check, with the reason below.
struct TextReport: Sendable {
  /// Whether terminal escape codes colour the outcomes.
  let isColoured: Bool

  private static let idWidth = CheckCase.all.map(\.id.count).max() ?? 0
  private static let titleWidth = CheckCase.all.map(\.title.count).max() ?? 0

  /// The text above the checks.
  func header(backend: String, shard: CheckShard?) -> String {
    "understudy \(Version.text) checks \(backend)\(shard.map { ", part \($0.text)" } ?? "")\n\n"
  }

  /// One check, with reason and call if it did not pass.
  func line(_ result: CheckResult) -> String {
    let id = result.id + String(repeating: " ", count: max(0, Self.idWidth - result.id.count))
    let title = result.title + String(repeating: " ", count: max(0, Self.titleWidth - result.title.count))
    let time = "\(Int(result.duration.roundedMilliseconds.rounded())) ms"
    let padding = String(repeating: " ", count: max(0, 8 - time.count))
    var text = "\(label(result.outcome))  \(id)  \(title)\(padding)\(time)\n"
    let indent = String(repeating: " ", count: 6)
    if let reason = result.outcome.reason { text += "\(indent)\(Self.shown(reason))\n" }
    if let call = result.call { text += "\(indent)at \(Self.shown(call.text))\n" }
    return text
  }

  /// The text on one line, without terminal control characters.
  static func shown(_ text: String) -> String { text.withoutControls }

  /// The text below the checks.
  func footer(_ report: CheckReport) -> String {
    let seconds = (report.duration / .seconds(1) * 10).rounded() / 10
    let counts = "\(report.count("passed")) passed, \(report.count("failed")) failed, \(report.count("skipped")) skipped"
    return "\n" + promises(report) + "\(counts) in \(seconds) s\n" + (report.drift.map(drift) ?? "")
  }

  private func promises(_ report: CheckReport) -> String {
    let (kept, broken) = (report.countPromises(kept: true), report.countPromises(kept: false))
    guard kept + broken > 0 else { return "" }
    guard broken > 0 else { return "The client kept all \(kept) promises that the calls put to the test\n" }
    var text = "The client broke \(broken) of \(kept + broken) promises that the calls put to the test\n"
    for result in report.results {
      for promise in result.promises where !promise.kept {
        text += "  \(result.id): \(promise.kind.rawValue): \(Self.shown(promise.say))\n"
      }
    }
    return text
  }

  private func drift(_ drift: DriftReport) -> String {
    let document = [drift.document.title, drift.document.version, "(\(drift.document.source))"].filter { !$0.isEmpty }
    var text = "\nCompared with \(Self.shown(document.joined(separator: " "))): \(drift.compared) exchanges, "
    text += drift.isEmpty ? "no drift\n" : "\(drift.drifted) with drift\(drift.isAllowed ? ", which is allowed" : "")\n"
    if drift.dropped > 0 { text += "  not compared, because too many waited: \(drift.dropped)\n" }
    for note in drift.document.notes { text += "  note: \(Self.shown(note))\n" }
    for endpoint in drift.endpoints {
      text += "  \(Self.shown("\(endpoint.method) \(endpoint.path)")), rows: \(endpoint.rows)\n"
      for difference in endpoint.differences { text += "    \(Self.shown(difference.text)), rows: \(difference.count)\n" }
    }
    if drift.unlisted > 0 { text += "  more differences: \(drift.unlisted)\n" }
    return text
  }

  private func label(_ outcome: CheckOutcome) -> String {
    switch outcome {
    case .passed: coloured("pass", 32)
    case .failed: coloured("FAIL", 31)
    case .skipped: coloured("skip", 33)
    }
  }

  private func coloured(_ text: String, _ colour: Int) -> String {
    isColoured ? "\u{1B}[\(colour)m\(text)\u{1B}[0m" : text
  }
}
