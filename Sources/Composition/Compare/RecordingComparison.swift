package import Observability

/// The differences between two recordings: calls, outcomes, retries, the shapes of answers, and timings beyond noise.
package struct RecordingComparison: Encodable, Sendable {
  /// A recording.
  package struct Side: Encodable, Sendable {
    package let file: String
    package let calls: Int
    package let attempts: Int
  }

  /// A call, by its position from 1.
  package struct Call: Hashable, Encodable, Sendable {
    package let flow: String?
    package let method: String
    package let path: String
    /// The position in the first recording; nil if it is missing there.
    package let first: Int?
    /// The position in the second recording; nil if it is missing there.
    package let second: Int?
  }

  /// Something that differs.
  package struct Difference: Encodable, Sendable {
    package enum Kind: String, Encodable, CaseIterable, Sendable {
      /// Only the first recording has the call.
      case missing
      /// Only the second recording has the call.
      case added
      /// The call comes at another place among the others.
      case reordered
      /// The last attempt ended with another status, or without an answer.
      case outcome
      /// Another number of attempts, because of retries and repetitions after a refresh.
      case attempts
      /// The answers of an endpoint with a status have another shape.
      case shape
      /// The answers of an endpoint take another time.
      case timing
    }

    package let kind: Kind
    package let call: Call
    /// The outcome or number of attempts in the first recording.
    package var first: String?
    /// The outcome or number of attempts in the second recording.
    package var second: String?
    package var shape: ShapeDifference?
    package var timing: TimingDifference?
  }

  let format = "understudy-compare"
  let version = 1
  package let first: Side
  package let second: Side
  package let isEqual: Bool
  package let differences: [Difference]

  /// Compares recordings that are given with the names of their files. Timings are compared if `comparesTimings` is true.
  package init(
    _ first: (file: String, attempts: [RecordedAttempt]), _ second: (file: String, attempts: [RecordedAttempt]),
    comparesTimings: Bool = true
  ) {
    let (ours, theirs) = (ComparedCall.list(of: first.attempts), ComparedCall.list(of: second.attempts))
    self.first = Side(file: first.file, calls: ours.count, attempts: first.attempts.count)
    self.second = Side(file: second.file, calls: theirs.count, attempts: second.attempts.count)
    // Other programs record no flows.
    let hasFlows = [ours, theirs].allSatisfy { calls in calls.contains { $0.flow != nil } }
    let alignment = CallAlignment(ours, theirs) { ComparedCall.Key(flow: hasFlows ? $0.flow : nil, endpoint: $0.endpoint) }
    differences =
      Self.calls(ours, theirs, alignment)
      + Self.answers(EndpointAnswers(first.attempts), EndpointAnswers(second.attempts), comparesTimings: comparesTimings)
    isEqual = differences.isEmpty
  }

  private static func calls(_ ours: [ComparedCall], _ theirs: [ComparedCall], _ alignment: CallAlignment) -> [Difference] {
    func call(_ call: ComparedCall, first: Int?, second: Int?) -> Call {
      Call(
        flow: call.flow, method: call.endpoint.method, path: call.endpoint.path, first: first.map { $0 + 1 },
        second: second.map { $0 + 1 })
    }
    var result = alignment.missing.map { Difference(kind: .missing, call: call(ours[$0], first: $0, second: nil)) }
    result += alignment.added.map { Difference(kind: .added, call: call(theirs[$0], first: nil, second: $0)) }
    for pair in alignment.pairs {
      let (one, other) = (ours[pair.first], theirs[pair.second])
      let both = call(one, first: pair.first, second: pair.second)
      if pair.isReordered { result.append(Difference(kind: .reordered, call: both)) }
      if one.outcome != other.outcome {
        result.append(Difference(kind: .outcome, call: both, first: one.outcome, second: other.outcome))
      }
      if one.attempts != other.attempts {
        result.append(Difference(kind: .attempts, call: both, first: "\(one.attempts)", second: "\(other.attempts)"))
      }
    }
    return result
  }

  private static func answers(_ ours: EndpointAnswers, _ theirs: EndpointAnswers, comparesTimings: Bool) -> [Difference] {
    ours.all.keys.sorted().flatMap { key -> [Difference] in
      guard let one = ours.all[key], let other = theirs.all[key] else { return [] }
      let call = Call(flow: nil, method: key.endpoint.method, path: key.endpoint.path, first: nil, second: nil)
      var result: [Difference] = []
      if let reference = one.shape, let shape = other.shape {
        let difference = ShapeDifference(shape, reference: reference)
        if !difference.isEmpty {
          result.append(Difference(kind: .shape, call: call, first: "\(key.status)", second: "\(key.status)", shape: difference))
        }
      }
      if comparesTimings, let timing = TimingDifference(other.durations, reference: one.durations) {
        result.append(Difference(kind: .timing, call: call, first: "\(key.status)", second: "\(key.status)", timing: timing))
      }
      return result
    }
  }
}

/// The answers of a recording by endpoint and status.
private struct EndpointAnswers {
  struct Key: Hashable, Comparable {
    let endpoint: ComparedCall.Endpoint
    let status: Int

    static func < (left: Key, right: Key) -> Bool { (left.endpoint, left.status) < (right.endpoint, right.status) }
  }

  struct Answers {
    /// The shape of all bodies together; nil if none is JSON.
    var shape: ResponseShape?
    /// The durations of the answers that came over the network, in milliseconds.
    var durations: [Double] = []
  }

  private(set) var all: [Key: Answers] = [:]

  init(_ attempts: [RecordedAttempt]) {
    for attempt in attempts {
      guard let status = attempt.status else { continue }
      let key = Key(endpoint: ComparedCall.Endpoint(method: attempt.method, path: attempt.path), status: status)
      if let shape = attempt.body.flatMap(ResponseShape.init) {
        if all[key]?.shape == nil { all[key, default: Answers()].shape = shape } else { all[key]?.shape?.merge(shape) }
      }
      let isSent = attempt.source.map { $0 == NetworkRow.Source.network.rawValue } ?? true
      if isSent, let milliseconds = attempt.milliseconds { all[key, default: Answers()].durations.append(milliseconds) }
    }
  }
}
