import DequeModule
import Glibc
import HTTPTypes
import JSON
import Locking
import Vault

/// The latest attempts of a device, in memory, redacted before they are stored.
///
/// Rows and the bytes of their bodies are bounded apart: a body that gives way leaves its row behind. A caller need not wait for
/// redaction: what is handed over is recorded behind it, in order, and whoever reads sees all that came before.
package final class NetworkLog: Sendable {
  /// The rows, and the changes that are to be told.
  struct State {
    var store: NetworkStore
    /// Rows to be told of, in order.
    var changes: Deque<NetworkRow> = []
  }

  /// Why a row cannot be pinned.
  package enum PinError: Error, Equatable {
    /// There is none of that id.
    case unknown
    /// Too many rows are pinned, or too many bytes of bodies.
    case full
  }

  /// How many rows a configuration may ask for.
  package static let capacities = 100...20_000

  private let redactor: Redactor
  private let onChange: @Sendable (NetworkRow) -> Void
  /// What is held, and what is to be told of it.
  let state: Locked<State>
  /// What waits to be recorded.
  let backlog: RecordingBacklog
  /// Held while changes are told, one after the other.
  private let notifying = Locked(())
  /// The thread that tells of changes; 0 for none.
  private let notifier = AtomicWord()

  /// How long whoever records behind the callers waits for more: a busy log wakes nobody for a change.
  private static let pause = Duration.milliseconds(1)

  /// A log of at most `capacity` rows and `bodyBytes` bytes of bodies.
  ///
  /// `backlog` is how many changes may wait to be recorded; with 0 the one who hands them over does it. `onChange` gets every row
  /// whole, in order; it may use the log, but must not wait for another thread that does.
  package init(
    capacity: Int, bodyBytes: Int, registry: SecretRegistry, backlog: Int = 0, onChange: @escaping @Sendable (NetworkRow) -> Void
  ) {
    self.backlog = RecordingBacklog(limit: backlog)
    state = Locked(State(store: NetworkStore(capacity: capacity, bodyBudget: bodyBytes)))
    redactor = Redactor(registry: registry)
    self.onChange = onChange
  }

  /// Sets how many rows are kept, brought into `capacities`; of more the oldest give way.
  package func setCapacity(_ capacity: Int) {
    let capacity = min(max(capacity, Self.capacities.lowerBound), Self.capacities.upperBound)
    state.withLock { $0.store.setCapacity(capacity) }
  }

  /// The most bytes that rows and bodies take together, the memory allocator's own aside.
  package var memoryLimit: Int { state.withLock { $0.store.memoryLimit } }

  /// Adds an attempt and gives its id.
  package func begin(_ request: RawRequest, of origin: AttemptOrigin, state initial: NetworkRow.State = .pending) -> String {
    let id = SecureRandom.uuid()
    enqueue(.begin(id: id, request, origin, initial))
    return id
  }

  /// Moves an attempt that has not ended on to another state, with the request as it is now if that has changed.
  package func update(_ id: String, to newState: NetworkRow.State, request: RawRequest? = nil) {
    enqueue(.update(id: id, newState, request))
  }

  /// Ends an attempt; one that gave way, was cleared or has ended stays as it is.
  package func finish(_ id: String, with exchange: RawExchange) { enqueue(.finish(id: id, exchange)) }

  /// Records all that was handed over before, and returns when `onChange` has heard of it.
  package func flush() {
    let total = backlog.total
    while backlog.recordNext(ofFirst: total, record) { notify() }
    notify()
  }

  private func enqueue(_ kind: PendingChange.Kind) {
    switch backlog.add(PendingChange(kind: kind, redactor: redactor.frozen())) {
    case .scheduled: break
    case .needsRecorder: Task.detached(priority: .background) { await self.recordInBackground() }
    case .full: flush()
    }
  }

  /// Records what is handed over until a pause brings nothing.
  private func recordInBackground() async {
    repeat {
      flush()
      try? await Task.sleep(for: Self.pause)
    } while !backlog.finishRecorder()
  }

  private func record(_ change: PendingChange) {
    switch change.kind {
    case .begin(let id, let request, let origin, let initial): record(id, request, origin, initial, change.redactor)
    case .update(let id, let newState, let request): record(id, newState, request, change.redactor)
    case .finish(let id, let exchange): record(id, exchange, change.redactor)
    }
  }

  private func record(
    _ id: String, _ request: RawRequest, _ origin: AttemptOrigin, _ initial: NetworkRow.State, _ redactor: Redactor
  ) {
    let fingerprint = redactor.fingerprint(of: request)
    let redacted = redactor.redact(request)
    let flow = redactor.redact(text: origin.flow, context: request.endpoint.context).text
    state.withLock { state in
      let row = NetworkRow(
        id: id, seq: state.store.next, rev: 1, callID: origin.callID, parentID: origin.parentID, flowID: origin.flowID,
        flow: flow,
        startedAt: Timestamp(origin.startedAt), method: request.method.rawValue, path: redacted.path,
        endpoint: request.endpoint.name,
        attempt: origin.attempt, status: nil, state: initial, error: nil, durationMilliseconds: nil,
        requestBytes: request.body.count,
        responseBytes: nil, source: origin.source, faultID: nil, isRedacted: !redacted.redactions.isEmpty)
      state.store.append(
        NetworkRowDetail(
          row: row, url: Self.url(request.origin, redacted.path, redacted.query), query: redacted.query,
          request: redacted.message,
          response: nil, timings: NetworkTimings(), redactions: redacted.redactions, errorDetail: nil,
          fingerprint: fingerprint))
      state.changes.append(row)
    }
  }

  private func record(_ id: String, _ newState: NetworkRow.State, _ request: RawRequest?, _ redactor: Redactor) {
    let redacted = request.flatMap { redact($0, ifNewFor: id, redactor) }
    change(id) { attempt in
      attempt.row.state = newState
      if let request, let redacted { Self.set(request, redacted, of: &attempt) }
    }
  }

  private func record(_ id: String, _ exchange: RawExchange, _ redactor: Redactor) {
    let context = exchange.request.endpoint.context
    let request = redact(exchange.request, ifNewFor: id, redactor)
    let response = exchange.response.map { redactor.redact($0, to: exchange.request.endpoint) }
    let error = exchange.error.map { redactor.redact(text: $0, context: context) }
    let detail = exchange.errorDetail.map { redactor.redact(text: $0, context: context) }
    let counts = (error?.counts ?? [:]).merging(detail?.counts ?? [:], uniquingKeysWith: +)
    let timings = exchange.timings.rounded
    change(id) { attempt in
      if let request { Self.set(exchange.request, request, of: &attempt) }
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

  /// Pins a row, so that it does not give way, or unpins it.
  ///
  /// Throws `unknown` for a row that is not there, `full` where `NetworkStore.maximumPins` rows or half of the bodies' bytes are pinned.
  package func pin(id: String, isPinned: Bool) throws(PinError) -> NetworkRow {
    flush()
    let result = state.withLock { state -> Result<NetworkRow, PinError> in
      guard let position = state.store.position(of: id) else { return .failure(.unknown) }
      let row = state.store.row(at: position)
      if row.isPinned == isPinned { return .success(row) }
      guard !isPinned || state.store.canPin(at: position) else { return .failure(.full) }
      let changed = state.store.setPinned(isPinned, at: position)
      state.changes.append(changed)
      return .success(changed)
    }
    notify()
    return try result.get()
  }

  /// The rows that pass a filter, oldest first.
  package func rows(filter: NetworkFilter = NetworkFilter()) -> NetworkPage {
    flush()
    return state.withLock { state in
      var events: [NetworkRow] = []
      let after = filter.after ?? 0
      var position = state.store.position(after: after)
      let limit = filter.limit ?? NetworkFilter.maximumLimit
      while position < state.store.count, events.count < limit {
        let row = state.store.row(at: position)
        if filter.matches(row) { events.append(row) }
        position += 1
      }
      let next = position == state.store.count ? state.store.next - 1 : events.last?.seq ?? after
      return NetworkPage(events: events, next: next, dropped: state.store.dropped, capacity: state.store.capacity)
    }
  }

  /// One attempt whole; nil when there is none of that id any more.
  package func detail(id: String) -> NetworkRowDetail? {
    flush()
    return state.withLock { state in state.store.position(of: id).map { state.store[$0] } }
  }

  /// The attempts that pass a filter whole, oldest first, of the given ids alone where there are some; read one by one.
  package func details(matching filter: NetworkFilter = NetworkFilter(), ids: Set<String>? = nil) -> NetworkDetails {
    NetworkDetails(log: self, ids: rows(filter: filter).events.map(\.id).filter { ids?.contains($0) ?? true })
  }

  /// Empties the log, of pinned rows too; `seq` goes on, and what is on its way is not added again.
  package func clear() {
    flush()
    state.withLock { state in
      state.store.clear()
      state.changes.removeAll()
    }
  }

  private static func url(_ origin: String, _ path: String, _ query: String?) -> String {
    origin + path + (query.map { "?" + $0 } ?? "")
  }

  private typealias RedactedRequest = (
    fingerprint: Int, parts: (path: String, query: String?, message: RedactedMessage, redactions: [Redaction])
  )

  /// The request redacted, unless the attempt shows it already and nothing was learned since: most end with the request they began with.
  private func redact(_ request: RawRequest, ifNewFor id: String, _ redactor: Redactor) -> RedactedRequest? {
    let fingerprint = redactor.fingerprint(of: request)
    guard state.withLock({ $0.store.fingerprint(of: id) }) != fingerprint else { return nil }
    return (fingerprint, redactor.redact(request))
  }

  private static func set(_ request: RawRequest, _ redacted: RedactedRequest, of attempt: inout NetworkRowDetail) {
    attempt.fingerprint = redacted.fingerprint
    let redacted = redacted.parts
    attempt.url = url(request.origin, redacted.path, redacted.query)
    attempt.query = redacted.query
    attempt.request = redacted.message
    attempt.redactions = redacted.redactions
    attempt.row.method = request.method.rawValue
    attempt.row.path = redacted.path
    attempt.row.endpoint = request.endpoint.name
    attempt.row.requestBytes = request.body.count
  }

  /// Changes an attempt that has not ended.
  private func change(_ id: String, _ body: (inout NetworkRowDetail) -> Void) {
    state.withLock { state in
      guard let position = state.store.position(of: id), !state.store.row(at: position).state.isFinal else { return }
      state.changes.append(state.store.change(at: position, body))
    }
  }

  /// Tells of the changes in order; `onChange` may have come here itself, and is told of its own changes when it is through.
  private func notify() {
    let thread = CurrentThread.id
    guard notifier.value != thread else { return }
    notifying.withLock { _ in
      notifier.set(thread)
      while let row = state.withLock({ $0.changes.popFirst() }) { onChange(row) }
      notifier.set(0)
    }
  }
}
