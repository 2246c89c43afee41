import JSON
import Text

/// The recorded responses to one method and path, in sequences of calls that are the same.
struct RecordedCall: Sendable {
  /// The responses to calls with the same query and body, in order.
  struct Sequence: Sendable {
    let query: [(name: String, value: String)]
    /// nil if every recorded call with that query had the same body, or if the bodies are unknown.
    let body: JSONTree?
    fileprivate(set) var exchanges: [ReplayedRecording.Exchange]
  }

  let sequences: [Sequence]

  init(_ exchanges: [ReplayedRecording.Exchange]) {
    let groups = Dictionary(grouping: exchanges.indices) { Self.pairs(exchanges[$0].query).map { "\($0.name)=\($0.value)" } }
    let inOrder = groups.values.sorted { ($0.first ?? 0) < ($1.first ?? 0) }
    sequences = inOrder.flatMap { group in Self.sequences(group.map { exchanges[$0] }) }
  }

  /// Returns the index of the sequence for a call, nil if there is none.
  ///
  /// An equal query and body come first. Otherwise a date matches any date and a mask any text, because both differ from run to
  /// run; and a query may have more parameters than the recorded one.
  func sequence(query: String?, body: [UInt8]) -> Int? {
    let query = Self.pairs(query)
    let body = Self.tree(body)
    var best: (rank: (Int, Int), index: Int)?
    for (index, sequence) in sequences.enumerated() {
      guard let queryRank = Self.rank(sequence.query, sent: query), let bodyRank = Self.rank(sequence.body, sent: body) else {
        continue
      }
      if best.map({ (queryRank, bodyRank) < $0.rank }) ?? true { best = ((queryRank, bodyRank), index) }
    }
    return best?.index
  }

  /// Splits the calls with one query by their bodies, if there are several.
  private static func sequences(_ exchanges: [ReplayedRecording.Exchange]) -> [Sequence] {
    let query = pairs(exchanges.first?.query)
    let bodies = exchanges.map { $0.requestBody.flatMap { tree($0) } }
    let isSplit = Set(bodies.compactMap { $0 }).count > 1
    var sequences: [Sequence] = []
    var indices: [JSONTree?: Int] = [:]
    for (exchange, body) in zip(exchanges, bodies) {
      let body = isSplit ? body : nil
      // A 304 stands for the client's stored response; only in its place is the order that of the recording.
      let isConfirmation = exchange.status == 304
      if let index = indices[body] {
        let confirmed = sequences[index].exchanges.last { $0.status == 200 }
        if let answer = isConfirmation ? confirmed : exchange { sequences[index].exchanges.append(answer) }
      } else if !isConfirmation {
        indices[body] = sequences.count
        sequences.append(Sequence(query: query, body: body, exchanges: [exchange]))
      }
    }
    return sequences
  }

  /// The pairs of a query in a stable order; a query that cannot be decoded is a single pair.
  private static func pairs(_ query: String?) -> [(name: String, value: String)] {
    guard let query, !query.isEmpty else { return [] }
    guard let pairs = QueryPairs.parse(query) else { return [(query, "")] }
    return pairs.map { (name: $0.0, value: $0.1) }.sorted { ($0.name, $0.value) < ($1.name, $1.value) }
  }

  /// A body as JSON with sorted members; other text is a string. nil if there is no body.
  private static func tree(_ body: [UInt8]) -> JSONTree? {
    guard !body.isEmpty else { return nil }
    return (try? JSONTree(parsing: body))?.sorted ?? .string(String(decoding: body, as: UTF8.self))
  }

  // MARK: Comparing

  /// 0 for equal, 1 if only dates and masks differ, 2 and more if parameters were added; nil for another query.
  private static func rank(_ recorded: [(name: String, value: String)], sent: [(name: String, value: String)]) -> Int? {
    var rest = sent
    var rank = 0
    for pair in recorded {
      let equal = rest.firstIndex { $0 == pair }
      let similar = equal ?? rest.firstIndex { $0.name == pair.name && isSimilar(pair.value, sent: $0.value) }
      guard let similar else { return nil }
      if equal == nil { rank = 1 }
      rest.remove(at: similar)
    }
    return rest.isEmpty ? rank : 1 + rest.count
  }

  /// 0 for equal, 1 if only dates and masks differ, 2 if the sequence has no body; nil for another body.
  private static func rank(_ recorded: JSONTree?, sent: JSONTree?) -> Int? {
    guard let recorded else { return 2 }
    guard let sent else { return nil }
    return recorded == sent ? 0 : isSimilar(recorded, sent: sent) ? 1 : nil
  }

  private static func isSimilar(_ recorded: JSONTree, sent: JSONTree) -> Bool {
    switch (recorded, sent) {
    case (.object(let left), .object(let right)):
      left.count == right.count && zip(left, right).allSatisfy { $0.key == $1.key && isSimilar($0.value, sent: $1.value) }
    case (.array(let left), .array(let right)):
      left.count == right.count && zip(left, right).allSatisfy { isSimilar($0, sent: $1) }
    case (.string(let left), .string(let right)): isSimilar(left, sent: right)
    default: recorded == sent
    }
  }

  private static func isSimilar(_ recorded: String, sent: String) -> Bool {
    recorded == sent || (recorded.contains("‹") && recorded.contains("›"))
      || (Timestamp(parsing: recorded) != nil && Timestamp(parsing: sent) != nil)
  }
}
