import ArgumentParser
import Foundation
import JSON
import Observability
import Redaction
import Text
import Vault

/// `understudy compare`: compares two recordings; exits with 0 if they are alike, 1 if they differ, and 66 if one is unreadable.
struct CompareCommand: ParsableCommand {
  /// How the differences are printed.
  enum Format: String, CaseIterable, Sendable { case text, json }

  static let configuration = CommandConfiguration(
    commandName: "compare", abstract: "Compare two recordings, exported bundles or HAR files.",
    discussion: """
      Calls are matched by user action, method and path. Reported are calls that are missing, added or in another order, other \
      outcomes, other numbers of attempts, other shapes of answers, and timings that differ by more than noise.
      """)

  @Argument(help: "The recording to compare with.") var first: String
  @Argument(help: "The recording to compare.") var second: String
  @Option(help: "Format of the report: \(Format.names).", read: .name) var format = Format.text
  @Flag(help: "Do not compare timings.") var ignoreTimings = false
  @OptionGroup var masks: MaskOptions

  func run() throws {
    // With one key, so that a secret of both files gets one tag.
    let redactor = Redactor(registry: SecretRegistry(tagKey: SecureRandom.bytes(32), rules: try masks.rules()))
    let comparison = RecordingComparison(
      ComparedRecording(first, try RecordingFile.attempts(first, redactor)),
      ComparedRecording(second, try RecordingFile.attempts(second, redactor)),
      comparesTimings: !ignoreTimings)
    let text =
      switch format {
      case .text: ComparisonText(comparison).text
      case .json: String(decoding: try JSONCoding.encode(comparison, keys: .snakeCase), as: UTF8.self) + "\n"
      }
    try ProgramOutput.write(text)
    if !comparison.isEqual { throw ExitCode(1) }
  }
}

/// A comparison for people, one line a difference.
struct ComparisonText: Sendable {
  private let comparison: RecordingComparison

  init(_ comparison: RecordingComparison) { self.comparison = comparison }

  /// Ends with a line break.
  var text: String {
    let count = comparison.differences.count
    var text = side(comparison.first) + side(comparison.second)
    for difference in comparison.differences { text += "  \(line(difference))\n" }
    text += comparison.isEqual ? "no differences\n" : "\(count) difference\(count == 1 ? "" : "s")\n"
    return text
  }

  private func side(_ side: RecordingComparison.Side) -> String {
    "\(Self.shown(side.file)): \(side.calls) calls, \(side.attempts) attempts\n"
  }

  private func line(_ difference: RecordingComparison.Difference) -> String {
    let call = difference.call
    let flow = call.flow.map { " (\(Self.shown($0)))" } ?? ""
    let name = "\(Self.shown(call.method)) \(Self.shown(call.path))\(flow)"
    let values = "\(difference.first ?? "") → \(difference.second ?? "")"
    switch difference.kind {
    case .missing: return "missing    \(name), call \(call.first ?? 0) of the first recording"
    case .added: return "added      \(name), call \(call.second ?? 0) of the second recording"
    case .reordered: return "reordered  \(name), call \(call.first ?? 0) → \(call.second ?? 0)"
    case .outcome:
      let sides = [(difference.first, difference.firstFault), (difference.second, difference.secondFault)]
      return "outcome    \(name): \(sides.map { outcome($0.0, by: $0.1) }.joined(separator: " → "))"
    case .attempts: return "attempts   \(name): \(values)"
    case .shape: return "shape      \(name) \(difference.first ?? ""): \(difference.shape.map(words) ?? "")"
    case .timing:
      let timing = difference.timing
      return "timing     \(name) \(difference.first ?? ""): \(timing?.referenceMedian ?? 0) ms → \(timing?.median ?? 0) ms"
    }
  }

  private func outcome(_ outcome: String?, by fault: RowFault?) -> String {
    (outcome ?? "") + (fault.map { " rule \"\(Self.shown($0.name))\"" } ?? "")
  }

  private func words(_ shape: ShapeDifference) -> String {
    let changed = shape.changed.map {
      "\($0.place) is \($0.kinds.joined(separator: " or ")), not \($0.referenceKinds.joined(separator: " or "))"
    }
    return (shape.missing.map { "\($0) is missing" } + shape.additional.map { "\($0) is new" } + changed).joined(separator: "; ")
  }

  /// A text of a file on one line, without control characters.
  private static func shown(_ text: String) -> String {
    text.withoutControls
  }
}
