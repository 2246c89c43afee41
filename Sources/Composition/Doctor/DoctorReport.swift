/// The findings, as text for people or as a JSON object for programs.
struct DoctorReport: Encodable, Sendable {
  let format = "understudy-doctor"
  /// Increases if a member changes its meaning or is removed.
  let version = 1
  /// Whether no finding is a problem.
  let healthy: Bool
  let findings: [DoctorFinding]

  init(_ findings: [DoctorFinding]) {
    self.findings = findings
    healthy = findings.allSatisfy { $0.state == .ok }
  }

  /// A line for each finding, with the recommended action below it; ends with a line break.
  var text: String {
    findings.map { finding in
      let line = Self.padded(finding.state.rawValue, 9) + Self.padded(finding.check.rawValue, 13) + finding.text + "\n"
      return line + (finding.advice.map { String(repeating: " ", count: 22) + $0 + "\n" } ?? "")
    }.joined()
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
  }
}
