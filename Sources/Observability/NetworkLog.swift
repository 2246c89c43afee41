import DequeModule
import HTTPTypes
import JSON
import Synchronization
import Vault

/// The latest attempts of a device, in memory, redacted before they are stored.
///
/// Rows and the bytes of their bodies are bounded apart: a body that gives way leaves its row behind.
package final class NetworkLog: Sendable {
  private struct State {
    /// How many attempts are kept.
    var capacity: Int
    /// The attempts with consecutive `seq`, the oldest first.
    var attempts: Deque<NetworkRowDetail> = []
    /// Where an attempt stands, by its id.
    var places: [String: UInt64] = [:]
    /// The `seq` of the next attempt.
    var next: UInt64 = 1
    var dropped: UInt64 = 0
    /// The bytes of all bodies that are held.
    var bodyBytes = 0
    /// The oldest attempt that can still hold a body.
    var firstBody: UInt64 = 1
    /// Rows to be told of, in order.
    var changes: Deque<NetworkRow> = []
    /// Whether somebody is telling, so that the order stays without a lock held while the callback runs.
    var isTelling = false
  }

  /// How many rows a configuration may ask for.
  package static let capacities = 100...20_000

  private let bodyBudget: Int
  private let redactor: Redactor
  private let onChange: @Sendable (NetworkRow) -> Void
  private let state: Mutex<State>

  /// A log of at most `capacity` rows and `bodyBytes` bytes of bodies; `onChange` gets every row whole, in order, and may use the log.
  package init(capacity: Int, bodyBytes: Int, registry: SecretRegistry, onChange: @escaping @Sendable (NetworkRow) -> Void) {
    state = Mutex(State(capacity: max(1, capacity)))
    bodyBudget = max(0, bodyBytes)
    redactor = Redactor(registry: registry)
    self.onChange = onChange
  }

  /// Sets how many rows are kept, brought into `capacities`; of more the oldest give way.
  package func setCapacity(_ capacity: Int) {
    state.withLock { state in
      state.capacity = min(max(capacity, Self.capacities.lowerBound), Self.capacities.upperBound)
      trim(&state)
    }
  }

  /// Adds an attempt and gives its id.
  package func begin(_ request: RawRequest, of origin: AttemptOrigin, state initial: NetworkRow.State = .pending) -> String {
    let id = SecureRandom.uuid()
    let redacted = redactor.redact(request)
    let flow = redactor.redact(text: origin.flow, context: request.endpoint.context).text
    state.withLock { state in
      let row = NetworkRow(
        id: id, seq: state.next, rev: 1, callID: origin.callID, parentID: origin.parentID, flowID: origin.flowID, flow: flow,
        startedAt: Timestamp(origin.startedAt), method: request.method.rawValue, path: redacted.path,
        endpoint: request.endpoint.name,
        attempt: origin.attempt, status: nil, state: initial, error: nil, durationMilliseconds: nil,
        requestBytes: request.body.count,
        responseBytes: nil, source: origin.source, faultID: nil)
      state.attempts.append(
        NetworkRowDetail(
          row: row, url: Self.url(request.origin, redacted.path, redacted.query), query: redacted.query,
          request: redacted.message,
          response: nil, timings: NetworkTimings(), redactions: redacted.redactions, errorDetail: nil))
      state.places[id] = row.seq
      state.next += 1
      state.bodyBytes += redacted.message.bodyBytes
      trim(&state)
      state.changes.append(row)
    }
    tell()
    return id
  }

  /// Moves an attempt that has not ended on to another state, with the request as it is now if that has changed.
  package func update(_ id: String, to newState: NetworkRow.State, request: RawRequest? = nil) {
    let redacted = request.map { ($0, redactor.redact($0)) }
    change(id) { attempt in
      attempt.row.state = newState
      if let (request, redacted) = redacted { Self.set(request, redacted, of: &attempt) }
    }
  }

  /// Ends an attempt; one that gave way, was cleared or has ended stays as it is.
  package func finish(_ id: String, with exchange: RawExchange) {
    let context = exchange.request.endpoint.context
    let request = redactor.redact(exchange.request)
    let response = exchange.response.map { redactor.redact($0, to: exchange.request.endpoint) }
    let error = exchange.error.map { redactor.redact(text: $0, context: context) }
    let detail = exchange.errorDetail.map { redactor.redact(text: $0, context: context) }
    let counts = (error?.counts ?? [:]).merging(detail?.counts ?? [:], uniquingKeysWith: +)
    let timings = exchange.timings.rounded
    change(id) { attempt in
      Self.set(exchange.request, request, of: &attempt)
      attempt.response = response?.message
      attempt.timings = timings
      attempt.redactions += (response?.redactions ?? []) + Redaction.list(counts, in: .error)
      attempt.errorDetail = detail?.text
      attempt.presentedPins = exchange.presentedPins
      attempt.row.state = exchange.state
      attempt.row.status = exchange.response?.status
      attempt.row.error = error?.text
      attempt.row.durationMilliseconds = timings.total
      attempt.row.responseBytes = exchange.response?.wireByteCount
      attempt.row.source = exchange.source ?? attempt.row.source
      attempt.row.faultID = exchange.faultID ?? attempt.row.faultID
    }
  }

  /// The rows that pass a filter, oldest first.
  package func rows(filter: NetworkFilter = NetworkFilter()) -> NetworkPage {
    state.withLock { state in
      var events: [NetworkRow] = []
      let after = filter.after ?? 0
      let oldest = state.next - UInt64(state.attempts.count)
      // A remote number: beyond the end it skips everything, and nothing is added to it.
      var index =
        after < oldest ? 0 : after - oldest >= UInt64(state.attempts.count) ? state.attempts.count : Int(after - oldest) + 1
      let limit = filter.limit ?? NetworkFilter.maximumLimit
      while index < state.attempts.count, events.count < limit {
        if filter.matches(state.attempts[index].row) { events.append(state.attempts[index].row) }
        index += 1
      }
      let isWhole = index == state.attempts.count
      let next = isWhole ? state.next - 1 : events.last?.seq ?? after
      return NetworkPage(events: events, next: next, dropped: state.dropped, capacity: state.capacity)
    }
  }

  /// One attempt whole; nil when there is none of that id any more.
  package func detail(id: String) -> NetworkRowDetail? {
    state.withLock { state in Self.index(of: id, in: state).map { state.attempts[$0] } }
  }

  /// Empties the log; `seq` goes on, and what is on its way is not added again.
  package func clear() {
    state.withLock { state in
      state.attempts.removeAll()
      state.places.removeAll()
      state.changes.removeAll()
      state.bodyBytes = 0
      state.dropped = 0
      state.firstBody = state.next
    }
  }

  private static func url(_ origin: String, _ path: String, _ query: String?) -> String {
    origin + path + (query.map { "?" + $0 } ?? "")
  }

  private static func index(of id: String, in state: State) -> Int? {
    state.places[id].map { Int($0 - (state.next - UInt64(state.attempts.count))) }
  }

  private static func set(
    _ request: RawRequest, _ redacted: (path: String, query: String?, message: RedactedMessage, redactions: [Redaction]),
    of attempt: inout NetworkRowDetail
  ) {
    attempt.url = url(request.origin, redacted.path, redacted.query)
    attempt.query = redacted.query
    attempt.request = redacted.message
    attempt.redactions = redacted.redactions
    attempt.row.method = request.method.rawValue
    attempt.row.path = redacted.path
    attempt.row.endpoint = request.endpoint.name
    attempt.row.requestBytes = request.body.count
  }

  /// Changes an attempt that has not ended, counts it and tells of it.
  private func change(_ id: String, _ body: (inout NetworkRowDetail) -> Void) {
    state.withLock { state in
      guard let index = Self.index(of: id, in: state), !state.attempts[index].row.state.isFinal else { return }
      state.bodyBytes -= Self.bodyBytes(of: state.attempts[index])
      body(&state.attempts[index])
      state.attempts[index].row.rev += 1
      state.bodyBytes += Self.bodyBytes(of: state.attempts[index])
      state.firstBody = min(state.firstBody, state.attempts[index].row.seq)
      state.changes.append(state.attempts[index].row)
      trim(&state)
    }
    tell()
  }

  private static func bodyBytes(of attempt: NetworkRowDetail) -> Int {
    attempt.request.bodyBytes + (attempt.response?.bodyBytes ?? 0)
  }

  /// Lets the oldest rows and bodies go that are too many.
  private func trim(_ state: inout State) {
    while state.attempts.count > state.capacity, let oldest = state.attempts.popFirst() {
      state.places[oldest.row.id] = nil
      state.bodyBytes -= Self.bodyBytes(of: oldest)
      state.dropped += 1
    }
    let oldest = state.next - UInt64(state.attempts.count)
    state.firstBody = max(state.firstBody, oldest)
    while state.bodyBytes > bodyBudget, state.firstBody < state.next {
      let index = Int(state.firstBody - oldest)
      state.bodyBytes -= Self.bodyBytes(of: state.attempts[index])
      state.attempts[index].request.dropBody()
      state.attempts[index].response?.dropBody()
      state.firstBody += 1
    }
  }

  /// Tells of the changes in order; whoever comes while another is telling leaves its change to that one.
  private func tell() {
    while true {
      let row = state.withLock { state -> NetworkRow? in
        guard !state.changes.isEmpty else { return nil }
        if state.isTelling { return nil }
        state.isTelling = true
        return state.changes.popFirst()
      }
      guard let row else { return }
      onChange(row)
      state.withLock { $0.isTelling = false }
    }
  }
}
