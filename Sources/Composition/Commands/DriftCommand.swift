import ArgumentParser
import Console
import Foundation
import JSON
import Observability
import OpenAPI
import Text
import Vault

/// `understudy drift`: compares a file's rows with an OpenAPI document; exits with 0 if they fit, 1 if they differ, 66 if a file is
/// unreadable.
struct DriftCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "drift", abstract: "Compare a recording, an exported bundle or a HAR file, with an OpenAPI document.",
    discussion: """
      The report also says which operations and responses of the document were seen. Compared are the hosts with an operation of the \
      document. A value that is masked fits.
      """)

  @Argument(help: "The recording to compare.") var file: String
  @Option(help: "The OpenAPI document, in JSON or YAML.") var openapi: String
  @Option(help: "Format of the report: \(ReportFormat.names).", read: .name) var format = ReportFormat.text
  @OptionGroup var masks: MaskOptions

  func run() throws {
    let document = try OpenAPIFile(path: openapi)
    let rules = try masks.rules()
    guard let bytes = FileBytes(path: file) else { throw StartFailure.inputMissing("\(file) cannot be read") }
    var drift = RecordedDrift(document.contract)
    let skipped: [Int]
    do {
      skipped = try ImportedFile.rows(of: bytes, rules: rules, tagKey: SecureRandom.bytes(32)) { row in
        drift.add(row, id: String(row.row.seq.number))
      }
    } catch let error as ImportError {
      throw StartFailure.inputMissing("\(file): \(error.text)")
    } catch let error as ArchiveError {
      throw StartFailure.inputMissing("\(file) \(error.text)")
    }
    if !skipped.isEmpty {
      ProgramOutput.complain("skipped entries without a readable request: \(skipped.map(String.init).joined(separator: ", "))")
    }
    let known = DriftDetector.Document(document.contract, source: document.path)
    try format.write(RecordedDriftBody(drift, known), keys: .snakeCase, text: RecordedDriftText(drift, known).text)
    if drift.drifted > 0 { throw ExitCode(1) }
  }
}

/// A comparison with a document for people, one line a difference or operation.
struct RecordedDriftText {
  private let drift: RecordedDrift
  private let document: DriftDetector.Document

  init(_ drift: RecordedDrift, _ document: DriftDetector.Document) {
    (self.drift, self.document) = (drift, document)
  }

  /// Ends with a line break.
  var text: String {
    let coverage = drift.coverage
    let name = [document.title, document.version, "(\(document.source))"].filter { !$0.isEmpty }.joined(separator: " ")
    var text = "Compared with \(name.printable()): \(drift.compared) rows, "
    text += drift.drifted == 0 ? "no drift\n" : "\(drift.drifted) with drift\n"
    if drift.elsewhere > 0 { text += "  not compared, because the document has no operation of their host: \(drift.elsewhere)\n" }
    for note in document.notes { text += "  note: \(note.printable())\n" }
    for endpoint in drift.summary.endpoints.map(DriftEndpointBody.init) {
      text += "  \("\(endpoint.method) \(endpoint.endpoint)".printable()), rows: \(endpoint.rows)\n"
      for difference in endpoint.differences {
        text += "    \(difference.text.printable()), rows: \(difference.count), last: row \(difference.lastRowId)\n"
      }
    }
    if drift.summary.unlisted > 0 { text += "  more differences: \(drift.summary.unlisted)\n" }
    text += "Seen: \(coverage.usedOperations) of \(coverage.operations.count) operations, "
    text += "\(coverage.usedResponses) of \(coverage.responseCount) responses\n"
    for operation in coverage.operations {
      let responses = operation.responses.map { "\($0.status): \($0.rows)" }.joined(separator: ", ")
      let seen = operation.rows == 0 ? "not seen" : "rows: \(operation.rows)\(responses.isEmpty ? "" : " (\(responses))")"
      text += "  \("\(operation.method) \(operation.path)".printable()), \(seen)\n"
    }
    return text
  }
}
