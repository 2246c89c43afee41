import Observability

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
    case .outcome: return "outcome    \(name): \(values)"
    case .attempts: return "attempts   \(name): \(values)"
    case .shape: return "shape      \(name) \(difference.first ?? ""): \(difference.shape.map(words) ?? "")"
    case .timing:
      let timing = difference.timing
      return "timing     \(name) \(difference.first ?? ""): \(timing?.referenceMedian ?? 0) ms → \(timing?.median ?? 0) ms"
    }
  }

  private func words(_ shape: ShapeDifference) -> String {
    let changed = shape.changed.map {
      "\($0.place) is \($0.kinds.joined(separator: " or ")), not \($0.referenceKinds.joined(separator: " or "))"
    }
    return (shape.missing.map { "\($0) is missing" } + shape.additional.map { "\($0) is new" } + changed).joined(separator: "; ")
  }

  /// A text of a file on one line, without control characters.
  private static func shown(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
  }
}
