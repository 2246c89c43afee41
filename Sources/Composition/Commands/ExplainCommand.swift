import ArgumentParser
import BackendFile
import Explain
import Foundation
import JSON
import Observability
import Redaction
import Text
import Vault

/// `understudy explain`: reports why a recorded session ended; exits with 0 if it was kept, 1 if it ended, 3 if the file does not show it,
/// 66 if a file is unreadable, and 78 if the backend file is wrong.
struct ExplainCommand: ParsableCommand {
  /// How the explanation is printed.
  enum Format: String, CaseIterable, Sendable { case text, json }

  static let configuration = CommandConfiguration(
    commandName: "explain", abstract: "Explain why the app was signed out, from an exported bundle or a HAR file.",
    discussion: """
      Finds sign-ins, refreshes and sign-outs in the requests of any program, and names the cause of the end of the session with the \
      rows that prove it, or what the file lacks. A request that fits one kind of call of --backend-file is of that kind, whatever its \
      names suggest. Exits with 0 if the session was kept, 1 if the app was signed out, and 3 if the \
      file does not show it. No token is printed.
      """)

  @Argument(help: "The exported zip, its rows.json, or a HAR file of any program.") var file: String
  @Option(help: "Backend file: which requests sign in, refresh and sign out.") var backendFile: String?
  @Option(help: "Format of the report: \(Format.names).", read: .name) var format = Format.text
  @OptionGroup var masks: MaskOptions

  func run() throws {
    let redactor = Redactor(registry: SecretRegistry(tagKey: SecureRandom.bytes(32), rules: try masks.rules()))
    let calls = try backendFile.map { try BackendFileCommand.readOrReport($0).namedCalls } ?? []
    let explanation = try RecordingFile.explanation(file, calls: calls).masked(by: redactor)
    let text =
      switch format {
      case .text: ExplanationText(explanation).text
      case .json: String(decoding: try JSONCoding.encode(explanation), as: UTF8.self) + "\n"
      }
    try ProgramOutput.write(text)
    switch explanation.verdict {
    case .sessionKept: break
    case .signedOut: throw ExitCode(1)
    case .unknown: throw ExitCode(3)
    }
  }
}

/// An explanation for people: the sentences, each with its rows, their times and the distances between them.
struct ExplanationText: Sendable {
  private let explanation: Explanation

  init(_ explanation: Explanation) { self.explanation = explanation }

  /// Ends with a line break.
  var text: String {
    var text = explanation.headline + "\n"
    for finding in explanation.findings {
      text += "\n\(finding.say) [\(finding.kind.rawValue)]\n"
      let named = Set(finding.rows)
      let rows = explanation.evidence.filter { named.contains($0.row) }
      var last: Timestamp?
      for row in rows {
        let distance = last.map { "  +" + Sentence.Value.length(row.at.milliseconds - $0.milliseconds) } ?? ""
        let status = row.status.map(String.init) ?? "no response"
        text +=
          "  row \(row.row)  \(Sentence.Value.clock(row.at.milliseconds))  \(row.method) \(row.path)  \(status)\(distance)\n"
        last = row.at
      }
    }
    if !explanation.missing.isEmpty { text += "\nNot known:\n" }
    for one in explanation.missing { text += "  \(one)\n" }
    return Self.plain(text)
  }

  /// The text without control characters other than line breaks.
  private static func plain(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { $0 != "\n" && $0.isControl ? " " : $0 }))
  }
}
