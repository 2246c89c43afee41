/// The responses of an endpoint with a status.
struct EndpointAnswers: Sendable {
  struct Key: Hashable, Comparable, Sendable {
    let endpoint: ComparedCall.Endpoint
    let status: Int

    /// Nil if the attempt has no response.
    init?(_ attempt: RecordedAttempt) {
      guard let status = attempt.status else { return nil }
      endpoint = ComparedCall.Endpoint(method: attempt.method, path: attempt.path)
      self.status = status
    }

    static func < (left: Key, right: Key) -> Bool { (left.endpoint, left.status) < (right.endpoint, right.status) }
  }

  /// The maximum number of shapes that are kept apart; all count in `shape`.
  private static let exampleLimit = 16

  /// The shape of all bodies together; nil if none is JSON.
  private(set) var shape: ResponseShape?
  /// The number of the first attempt with a shape.
  private var examples: [(shape: ResponseShape, number: Int)] = []
  /// The durations of the responses that came over the network, in milliseconds, with the numbers of their attempts.
  private var timed: [(milliseconds: Double, number: Int)] = []

  var durations: [Double] { timed.map(\.milliseconds) }

  mutating func add(_ attempt: RecordedAttempt, number: Int) {
    if let shape = attempt.body.flatMap(ResponseShape.init) {
      if self.shape == nil { self.shape = shape } else { self.shape?.merge(shape) }
      if examples.count < Self.exampleLimit, !examples.contains(where: { $0.shape == shape }) { examples.append((shape, number)) }
    }
    let isSent = attempt.source.map { $0 == NetworkRow.Source.network.rawValue } ?? true
    if isSent, let milliseconds = attempt.milliseconds { timed.append((milliseconds, number)) }
  }

  /// The number of an attempt that shows the difference in shape, else of the first one.
  func example(_ isDifferent: (ResponseShape) -> Bool) -> Int? {
    (examples.first { isDifferent($0.shape) } ?? examples.first)?.number
  }

  /// The number of the attempt whose duration is nearest to a median.
  func typical(_ median: Double) -> Int? {
    timed.min { abs($0.milliseconds - median) < abs($1.milliseconds - median) }?.number
  }
}
