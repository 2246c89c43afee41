import DequeModule
import Glibc
import HTTPTypes
import JSON
import Locking
import Vault
package import Redaction

/// The latest attempts of a device, in memory, redacted before they are stored.
///
/// Rows and the bytes of bodies are limited separately: if a body is evicted, its row stays. Callers need not wait for redaction:
/// changes are recorded in the background, in order, and every read first records those that came before.
package final class NetworkLog: Sendable {
  /// The rows, and the changes to report.
  struct State {
    var store: NetworkStore
    /// Changed rows to report, in order.
    var changes: Deque<NetworkRow> = []
    /// The differences from the API description.
    var drift = DriftTally()
    /// What was cleared last, as long as it can be brought back.
    var cleared: ClearedLog?
    /// How often the log was cleared.
    var clearings = 0
    /// After which rows some may be missing.
    var gaps: [NetworkGap] = []
    /// The newest rows that were listed, as JSON.
    var encoded = EncodedRows()
  }

  /// Why a row cannot be pinned.
  package enum PinError: Error, Equatable {
    /// There is no row with this ID.
    case unknown
    /// Too many rows, or too many bytes of bodies, are pinned.
    case full
  }

  /// The configurable number of rows.
  package static let capacities = 100...20_000

  private let redactor: Redactor
  private let comparer: ExchangeComparer?
  private let onChange: @Sendable (NetworkRow) -> Void
  /// The rows, and the changes to report.
  let state: Locked<State>
  /// The changes to record.
  let backlog: RecordingBacklog
  /// Locked while changes are reported, so that they stay in order.
  private let notifying = Locked(())
  /// The ID of the thread that reports changes; 0 if there is none.
  private let notifier = AtomicWord()

  /// How long the background recorder waits for more changes, so that a busy log does not start a task for each.
  private static let pause = Duration.milliseconds(1)

  /// Creates a log of at most `capacity` rows and `bodyBytes` bytes of bodies.
  ///
  /// `backlog` is how many changes may wait to be recorded; with 0 the caller records each change itself. `comparer` gets every
  /// exchange with the backend. `onChange` receives each changed row in order. It may use the log, but must not wait for another
  /// thread that does.
  package init(
    capacity: Int, bodyBytes: Int, registry: SecretRegistry, backlog: Int = 0, comparer: ExchangeComparer? = nil,
    onChange: @escaping @Sendable (NetworkRow) -> Void
  ) {
    self.comparer = comparer
    self.backlog = RecordingBacklog(limit: backlog)
    state = Locked(State(store: NetworkStore(capacity: capacity, bodyBudget: bodyBytes)))
    redactor = Redactor(registry: registry)
    self.onChange = onChange
  }

  /// Sets the number of rows, clamped to `capacities`; evicts the oldest rows beyond it.
  package func setCapacity(_ capacity: Int) {
    let capacity = min(max(capacity, Self.capacities.lowerBound), Self.capacities.upperBound)
    state.withLock { $0.store.setCapacity(capacity) }
  }

  /// The most memory in bytes for rows and bodies, not counting the allocator's overhead.
  package var memoryLimit: Int { state.withLock { $0.store.memoryLimit } }

  /// Adds an attempt and returns its ID.
  package func begin(_ request: RawRequest, of origin: AttemptOrigin, state initial: NetworkRow.State = .pending) -> String {
    let id = SecureRandom.uuid()
    enqueue(.begin(id: id, request, origin, initial))
    return id
  }

  /// Changes the state of an attempt that has not finished, and its request if one is given.
  package func update(_ id: String, to newState: NetworkRow.State, request: RawRequest? = nil) {
    enqueue(.update(id: id, newState, request))
  }

  /// Finishes an attempt; does nothing if it was evicted, cleared or already finished.
  package func finish(_ id: String, with exchange: RawExchange) { enqueue(.finish(id: id, exchange)) }

  /// Records all earlier changes; returns after `onChange` was called for them.
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

  /// Records changes until none arrive during a pause.
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
        query: redacted.query, endpoint: request.endpoint.name,
        attempt: origin.attempt, status: nil, state: initial, error: nil, durationMilliseconds: nil,
        requestBytes: request.body.count,
        responseBytes: nil, source: origin.source, faultID: nil, isRedacted: !redacted.redactions.isEmpty)
      state.store.append(
        NetworkRowDetail(
          row: row, url: Self.url(request.origin, redacted.path, redacted.query),
          request: redacted.message,
          response: nil, timings: NetworkTimings(), redactions: redacted.redactions, fingerprint: fingerprint))
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
    let row = change(id) { attempt in
      if let request { Self.set(exchange.request, request, of: &attempt) }
      attempt.response = response?.message
      attempt.timings = timings
      attempt.connection = exchange.connection
      attempt.redactions += (response?.redactions ?? []) + Redaction.list(counts, in: .error)
      attempt.row.errorDetail = detail?.text
      attempt.presentedPins = exchange.presentedPins
      attempt.row.state = exchange.state
      attempt.row.status = exchange.response?.status
      attempt.row.error = error?.text
      attempt.row.durationMilliseconds = timings.total
      attempt.row.responseBytes = exchange.response?.wireByteCount
      attempt.row.source = exchange.source ?? attempt.row.source
      attempt.row.faultID = exchange.faultID ?? attempt.row.faultID
    }
    if let row { comparer?.add(exchange, of: id, source: row.source, redactor: redactor, in: self) }
  }

  /// Pins a row, so that it is not evicted, or unpins it.
  ///
  /// Throws `unknown` if there is no such row, and `full` if `NetworkStore.maximumPins` rows or half of the bytes for bodies are
  /// pinned.
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

  /// The newest row that satisfies the condition; nil if there is none.
  package func lastRow(where isWanted: (NetworkRow) -> Bool) -> NetworkRow? {
    flush()
    return state.withLock { state in
      for position in (0..<state.store.count).reversed() {
        let row = state.store.row(at: position)
        if isWanted(row) { return row }
      }
      return nil
    }
  }

  /// The full attempt; nil if it is not in the log any more.
  package func detail(id: String) -> NetworkRowDetail? {
    flush()
    return state.withLock { state in state.store.position(of: id).map { state.store[$0] } }
  }

  private static func url(_ origin: String, _ path: String, _ query: String?) -> String {
    origin + path + (query.map { "?" + $0 } ?? "")
  }

  private typealias RedactedRequest = (
    fingerprint: Int, parts: (path: String, query: String?, message: RedactedMessage, redactions: [Redaction])
  )

  /// Redacts the request, unless the log has the same request with the same known secrets; most attempts end with the request
  /// they began with.
  private func redact(_ request: RawRequest, ifNewFor id: String, _ redactor: Redactor) -> RedactedRequest? {
    let fingerprint = redactor.fingerprint(of: request)
    guard state.withLock({ $0.store.fingerprint(of: id) }) != fingerprint else { return nil }
    return (fingerprint, redactor.redact(request))
  }

  private static func set(_ request: RawRequest, _ redacted: RedactedRequest, of attempt: inout NetworkRowDetail) {
    attempt.fingerprint = redacted.fingerprint
    let redacted = redacted.parts
    attempt.url = url(request.origin, redacted.path, redacted.query)
    attempt.request = redacted.message
    attempt.redactions = redacted.redactions
    attempt.row.method = request.method.rawValue
    attempt.row.path = redacted.path
    attempt.row.query = redacted.query
    attempt.row.endpoint = request.endpoint.name
    attempt.row.requestBytes = request.body.count
  }

  /// Changes an attempt that has not finished and returns its row; nil if there is none.
  @discardableResult
  private func change(_ id: String, _ body: (inout NetworkRowDetail) -> Void) -> NetworkRow? {
    state.withLock { state in
      guard let position = state.store.position(of: id) else { return state.cleared?.change(id, body) }
      guard !state.store.row(at: position).state.isFinal else { return nil }
      let row = state.store.change(at: position, body)
      state.changes.append(row)
      return row
    }
  }

  /// Reports changes in order. If `onChange` itself calls this, its changes are reported after it returns.
  func notify() {
    let thread = CurrentThread.id
    guard notifier.value != thread else { return }
    notifying.withLock { _ in
      notifier.set(thread)
      while let row = state.withLock({ $0.changes.popFirst() }) { onChange(row) }
      notifier.set(0)
    }
  }
}
