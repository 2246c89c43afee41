import Text

/// A call of a recording with all its attempts.
struct ComparedCall: Hashable, Sendable {
  /// The key that a call and its counterpart in another recording share.
  struct Key: Hashable, Sendable {
    /// The name of the user action; nil if flows are not compared.
    let flow: String?
    let endpoint: Endpoint
  }

  /// A method and a path whose ids and masks are replaced by `*`.
  struct Endpoint: Hashable, Comparable, Sendable {
    let method: String
    let path: String

    init(method: String, path: String) {
      self.method = method
      self.path = path.split(separator: "/", omittingEmptySubsequences: false)
        .map { Self.isID($0) || Self.isMasked($0) ? "*" : String($0) }.joined(separator: "/")
    }

    /// Whether a segment identifies one thing: a number, a UUID, or at least 16 letters and digits with a digit among them.
    private static func isID(_ segment: Substring) -> Bool {
      let bytes = segment.utf8
      let digits = bytes.count { ASCII.isDigit($0) }
      guard digits > 0 else { return false }
      let letters = bytes.count { ASCII.isLetter($0) }
      let others = bytes.count - digits - letters
      return digits == bytes.count || bytes.count >= 16 && others == bytes.count { $0 == 0x2D || $0 == 0x5F }
    }

    /// Whether a segment has a mask, whose tag differs for each value.
    private static func isMasked(_ segment: Substring) -> Bool { segment.contains("%E2%80%B9") || segment.contains("‹") }

    static func < (left: Endpoint, right: Endpoint) -> Bool { (left.path, left.method) < (right.path, right.method) }
  }

  let flow: String?
  let endpoint: Endpoint
  /// The number of attempts, from 1.
  private(set) var attempts = 0
  /// The outcome of the last attempt: a status, with its source unless that is the network, or `no answer`.
  private(set) var outcome = ""
  /// The fault rule that responded to the last attempt; nil if none did.
  private(set) var fault: RowFault?
  /// The last attempt's row ID; nil if the recording has none.
  private(set) var lastRow: String?

  /// The calls of attempts, ordered by their first ones, and the call of each attempt. Attempts that name no call are calls of
  /// their own.
  static func list(of attempts: [RecordedAttempt]) -> (calls: [ComparedCall], places: [Int]) {
    var calls: [ComparedCall] = []
    var called: [Int] = []
    var places: [String: Int] = [:]
    for attempt in attempts {
      let place = attempt.callID.flatMap { places[$0] } ?? calls.count
      if place == calls.count {
        calls.append(ComparedCall(flow: attempt.flow, endpoint: Endpoint(method: attempt.method, path: attempt.path)))
        if let id = attempt.callID { places[id] = place }
      }
      calls[place].note(attempt)
      called.append(place)
    }
    return (calls, called)
  }

  private init(flow: String?, endpoint: Endpoint) {
    self.flow = flow
    self.endpoint = endpoint
  }

  private mutating func note(_ attempt: RecordedAttempt) {
    attempts += 1
    lastRow = attempt.id
    outcome = attempt.status.map { "\($0)" } ?? "no answer"
    fault = attempt.source == NetworkRow.Source.fault.rawValue ? attempt.fault : nil
    if let source = attempt.source, source != NetworkRow.Source.network.rawValue { outcome += " from \(source)" }
  }
}
