/// The differences between two recordings: calls, outcomes, retries, the shapes of responses, and timings beyond noise.
package struct RecordingComparison: Codable, Sendable {
  /// A recording.
  package struct Side: Codable, Sendable {
    /// The name of the file, the title of the recording, or the name of the device.
    package let file: String
    package let calls: Int
    package let attempts: Int
  }

  /// A call, by its position from 1; for shapes and timings, a call that shows the difference.
  package struct PairedCall: Hashable, Codable, Sendable {
    package let flow: String?
    package let method: String
    package let path: String
    /// The position in the first recording; nil if it is missing there.
    package let first: Int?
    /// The position in the second recording; nil if it is missing there.
    package let second: Int?
    /// The last attempt's row ID in the first recording; for shapes and timings, that of an attempt that shows the difference.
    package let firstRow: String?
    /// The same in the second recording.
    package let secondRow: String?
  }

  /// A difference between two recordings.
  package struct Difference: Codable, Sendable {
    package enum Kind: String, Codable, CaseIterable, Sendable {
      /// Only the first recording has the call.
      case missing
      /// Only the second recording has the call.
      case added
      /// The call comes at another place among the others.
      case reordered
      /// The last attempt ended with another status, or without a response.
      case outcome
      /// The number of attempts differs, because of retries and repetitions after a refresh.
      case attempts
      /// The responses of an endpoint with a status have another shape.
      case shape
      /// The responses of an endpoint take another time.
      case timing
    }

    package let kind: Kind
    package let call: PairedCall
    /// The outcome or number of attempts in the first recording.
    package var first: String?
    /// The outcome or number of attempts in the second recording.
    package var second: String?
    /// The fault rule that made the outcome in the first recording.
    package var firstFault: RowFault?
    /// The same in the second recording.
    package var secondFault: RowFault?
    package var shape: ShapeDifference?
    package var timing: TimingDifference?
  }

  let format: String
  let version: Int
  package let first: Side
  package let second: Side
  package let isEqual: Bool
  package let differences: [Difference]

  /// Compares recordings. Timings are compared if `comparesTimings` is true.
  package init(_ first: ComparedRecording, _ second: ComparedRecording, comparesTimings: Bool = true) {
    format = "understudy-compare"
    version = 1
    let ours = first.calls
    let theirs = second.calls
    self.first = Side(file: first.name, calls: ours.list.count, attempts: first.attemptCount)
    self.second = Side(file: second.name, calls: theirs.list.count, attempts: second.attemptCount)
    // Other programs record no flows.
    let hasFlows = [ours, theirs].allSatisfy { calls in calls.list.contains { $0.flow != nil } }
    let alignment = CallAlignment(ours.list, theirs.list) {
      ComparedCall.Key(flow: hasFlows ? $0.flow : nil, endpoint: $0.endpoint)
    }
    let answers = AnswerComparison(first, ours, second, theirs)
    differences = Self.calls(ours.list, theirs.list, alignment) + answers.differences(comparesTimings: comparesTimings)
    isEqual = differences.isEmpty
  }

  private static func calls(_ ours: [ComparedCall], _ theirs: [ComparedCall], _ alignment: CallAlignment) -> [Difference] {
    func call(_ call: ComparedCall, first: Int?, second: Int?) -> PairedCall {
      PairedCall(
        flow: call.flow, method: call.endpoint.method, path: call.endpoint.path, first: first.map { $0 + 1 },
        second: second.map { $0 + 1 }, firstRow: first.flatMap { ours[$0].lastRow },
        secondRow: second.flatMap { theirs[$0].lastRow })
    }
    var result = alignment.missing.map { Difference(kind: .missing, call: call(ours[$0], first: $0, second: nil)) }
    result += alignment.added.map { Difference(kind: .added, call: call(theirs[$0], first: nil, second: $0)) }
    for pair in alignment.pairs {
      let one = ours[pair.first]
      let other = theirs[pair.second]
      let both = call(one, first: pair.first, second: pair.second)
      if pair.isReordered { result.append(Difference(kind: .reordered, call: both)) }
      if one.outcome != other.outcome {
        result.append(
          Difference(
            kind: .outcome, call: both, first: one.outcome, second: other.outcome, firstFault: one.fault,
            secondFault: other.fault))
      }
      if one.attempts != other.attempts {
        result.append(Difference(kind: .attempts, call: both, first: "\(one.attempts)", second: "\(other.attempts)"))
      }
    }
    return result
  }
}

/// The differences between the responses of two recordings, by endpoint and status.
private struct AnswerComparison {
  private typealias Difference = RecordingComparison.Difference

  private let first: ComparedRecording
  private let second: ComparedRecording
  private let ours: ComparedRecording.Calls
  private let theirs: ComparedRecording.Calls

  init(
    _ first: ComparedRecording, _ ours: ComparedRecording.Calls, _ second: ComparedRecording, _ theirs: ComparedRecording.Calls
  ) {
    self.first = first
    self.ours = ours
    self.second = second
    self.theirs = theirs
  }

  func differences(comparesTimings: Bool) -> [RecordingComparison.Difference] {
    first.answers.keys.sorted().flatMap { key -> [Difference] in
      guard let one = first.answers[key], let other = second.answers[key] else { return [] }
      return [shape(key, one, other), comparesTimings ? timing(key, one, other) : nil].compactMap { $0 }
    }
  }

  private func shape(_ key: EndpointAnswers.Key, _ one: EndpointAnswers, _ other: EndpointAnswers) -> Difference? {
    guard let reference = one.shape, let shape = other.shape else { return nil }
    let difference = ShapeDifference(shape, reference: reference)
    guard !difference.isEmpty else { return nil }
    let call = call(
      key, one.example { !ShapeDifference(shape, reference: $0).isEmpty },
      other.example { !ShapeDifference($0, reference: reference).isEmpty })
    return Difference(kind: .shape, call: call, first: "\(key.status)", second: "\(key.status)", shape: difference)
  }

  private func timing(_ key: EndpointAnswers.Key, _ one: EndpointAnswers, _ other: EndpointAnswers) -> Difference? {
    guard let timing = TimingDifference(other.durations, reference: one.durations) else { return nil }
    let call = call(key, one.typical(timing.referenceMedian), other.typical(timing.median))
    return Difference(kind: .timing, call: call, first: "\(key.status)", second: "\(key.status)", timing: timing)
  }

  /// The call of two attempts by their numbers.
  private func call(_ key: EndpointAnswers.Key, _ one: Int?, _ other: Int?) -> RecordingComparison.PairedCall {
    RecordingComparison.PairedCall(
      flow: nil, method: key.endpoint.method, path: key.endpoint.path, first: one.map { ours.places[$0] + 1 },
      second: other.map { theirs.places[$0] + 1 }, firstRow: one.flatMap { first.rowID($0) },
      secondRow: other.flatMap { second.rowID($0) })
  }
}

/// How the durations of an endpoint's responses differ between two recordings, in milliseconds.
package struct TimingDifference: Hashable, Codable, Sendable {
  package let median: Double
  package let referenceMedian: Double

  /// Nil if the medians differ by no more than noise: 50 ms, half of the reference, or three times the spread of either
  /// recording, whichever is most. The spread is the median absolute deviation, scaled to a standard deviation.
  init?(_ durations: [Double], reference: [Double]) {
    guard let median = Self.median(durations), let other = Self.median(reference) else { return nil }
    let spread = [durations, reference].map { list -> Double in
      let middle = Self.median(list) ?? 0
      return 1.4826 * (Self.median(list.map { abs($0 - middle) }) ?? 0)
    }
    let noise = max(50, other / 2, 3 * (spread.max() ?? 0))
    guard abs(median - other) > noise else { return nil }
    self.median = (median * 10).rounded() / 10
    referenceMedian = (other * 10).rounded() / 10
  }

  /// The median; nil of nothing.
  static func median(_ list: [Double]) -> Double? {
    guard !list.isEmpty else { return nil }
    let sorted = list.sorted()
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}
