package import ArgumentParser
import Foundation
import JSON
import Observability
import Redaction
import Vault

/// `understudy compare`: compares two recordings; exits with 0 if they are alike, 1 if they differ, and 66 if one is unreadable.
package struct CompareCommand: ParsableCommand {
  /// How the differences are printed.
  package enum Format: String, CaseIterable, Sendable { case text, json }

  package static let configuration = CommandConfiguration(
    commandName: "compare", abstract: "Compare two recordings, exported bundles or HAR files.",
    discussion: """
      Calls are matched by user action, method and path. Reported are calls that are missing, added or in another order, other \
      outcomes, other numbers of attempts, other shapes of answers, and timings that differ by more than noise.
      """)

  @Argument(help: "The recording to compare with.") package var first: String
  @Argument(help: "The recording to compare.") package var second: String
  @Option(help: "Format of the report: text or json. (default: text)") package var format: String?
  @Flag(help: "Do not compare timings.") package var ignoreTimings = false
  @OptionGroup package var masks: MaskOptions
  package init() {}

  package func run() throws {
    let comparison: RecordingComparison
    let format: Format
    do throws(StartFailure) {
      let environment = EnvironmentFlags()
      let word = self.format ?? environment.text("format") ?? Format.text.rawValue
      guard let known = Format(rawValue: word) else { throw .usage("--format: '\(word)' is not text or json") }
      format = known
      let comparesTimings = !(try environment.isOn("ignore-timings", given: ignoreTimings))
      // With one key, so that a secret of both files gets one tag.
      let redactor = Redactor(registry: SecretRegistry(tagKey: SecureRandom.bytes(32), rules: try masks.rules(environment)))
      comparison = RecordingComparison(
        ComparedRecording(first, try RecordingFile.attempts(first, redactor)),
        ComparedRecording(second, try RecordingFile.attempts(second, redactor)),
        comparesTimings: comparesTimings)
    } catch {
      throw error.reported()
    }
    let text =
      switch format {
      case .text: ComparisonText(comparison).text
      case .json: String(decoding: try JSONCoding.encode(comparison, keys: .snakeCase), as: UTF8.self) + "\n"
      }
    do throws(StartFailure) { try ProgramOutput.write(text) } catch { throw error.reported() }
    if !comparison.isEqual { throw ExitCode(1) }
  }
}
