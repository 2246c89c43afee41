import JSON

/// How a command prints its report.
enum ReportFormat: String, CaseIterable, Sendable {
  case text, json

  /// Prints a report; throws `StartFailure` (66) if it cannot be written.
  func write(_ report: some Encodable, keys: JSONCoding.Keys = .asSpelled, text: @autoclosure () -> String) throws {
    switch self {
    case .text: try ProgramOutput.write(text())
    case .json: try ProgramOutput.write(String(decoding: try JSONCoding.encode(report, keys: keys), as: UTF8.self) + "\n")
    }
  }
}
