import JSON

/// A recording for comparison: its attempts in order and the shapes of its responses, without the responses themselves.
package struct ComparedRecording: Sendable {
  /// An attempt without its body.
  private struct Entry {
    let startedAt: Timestamp?
    let attempt: RecordedAttempt
  }

  /// The calls of a recording, and the call of each attempt by the number of the attempt.
  struct Calls {
    let list: [ComparedCall]
    let places: [Int]
  }

  /// The name of its file, or its title.
  package let name: String
  private var entries: [Entry] = []
  private(set) var answers: [EndpointAnswers.Key: EndpointAnswers] = [:]

  /// How many attempts were added.
  package var attemptCount: Int { entries.count }

  /// Creates a recording with attempts in the order in which they were made.
  package init(_ name: String, _ attempts: [RecordedAttempt] = []) {
    self.name = name
    for attempt in attempts { add(attempt, startedAt: nil) }
  }

  /// Adds a row; rows need not come in the order in which they were sent.
  package mutating func add(_ row: NetworkRowDetail) { add(RecordedAttempt(row), startedAt: row.row.startedAt) }

  private mutating func add(_ attempt: RecordedAttempt, startedAt: Timestamp?) {
    if let key = EndpointAnswers.Key(attempt) { answers[key, default: EndpointAnswers()].add(attempt, number: entries.count) }
    entries.append(Entry(startedAt: startedAt, attempt: attempt.withoutBody))
  }

  /// The id of an attempt by its number; nil if the recording has none.
  func rowID(_ number: Int) -> String? { entries[number].attempt.id }

  /// The calls, ordered by their first attempts.
  var calls: Calls {
    let order = entries.indices.sorted { left, right in
      guard let one = entries[left].startedAt, let other = entries[right].startedAt, one != other else { return left < right }
      return one < other
    }
    let (list, called) = ComparedCall.list(of: order.map { entries[$0].attempt })
    var places = [Int](repeating: 0, count: entries.count)
    for (place, number) in order.enumerated() { places[number] = called[place] }
    return Calls(list: list, places: places)
  }
}
