import DequeModule
import Glibc
import HTTPTypes
import JSON
import Locking
package import Redaction
import Text
import Vault

/// The latest attempts of a device, in memory, redacted before they are stored.
///
/// Rows and the bytes of bodies are limited separately: if a body is evicted, its row stays. Callers need not wait for redaction:
/// changes are recorded in the background, in order, and every read first records all earlier changes.
package final class NetworkLog: Sendable {
  /// The rows, and the changes to report.
  struct State {
    var store: NetworkStore
    /// Changed rows to report, in order.
    var changes: Deque<NetworkRow> = []
    /// The differences from the API description.
    var drift = DriftTally()
    /// The last cleared rows, as long as they can be restored.
    var cleared: ClearedLog?
    /// How often the log was cleared.
    var clearings = 0
    /// The rows after which others may be missing.
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
  private static let capacities = 100...20_000

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

  /// The maximum memory in bytes for rows and bodies, not counting the allocator's overhead.
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
        query: redacted.query, host: NetworkRow.host(ofURL: request.origin), endpoint: request.endpoint.name,
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
    let fault = exchange.fault?.masked { redactor.redact(text: $0, context: context).text }
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
      attempt.row.fault = fault ?? attempt.row.fault
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

  /// The full attempt; nil if it is no longer in the log.
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

/// The rows of a log that was cleared, and their differences from the API description.
struct ClearedLog {
  /// The number of the clearing.
  let number: Int
  var store: NetworkStore
  var drift: DriftTally

  /// Changes an attempt that was in progress when the log was cleared and returns its row; nil if there is none.
  mutating func change(_ id: String, _ body: (inout NetworkRowDetail) -> Void) -> NetworkRow? {
    guard let position = store.position(of: id), !store.row(at: position).state.isFinal else { return nil }
    return store.change(at: position, body)
  }

  /// Adds the result of a comparison that ended after the log was cleared.
  mutating func setDrift(_ found: [NetworkDrift], count: Int, of id: String) {
    guard let position = store.position(of: id) else { return }
    drift.add(found, of: store.change(at: position) { $0.setDrift(found, count: count) })
  }
}

extension NetworkLog {
  /// One clearing of a log.
  package struct Clearing: Hashable, Sendable {
    /// The number of the clearing.
    package let number: Int
    /// The `seq` of the last row that it removed, or a later unused one.
    package let through: RowSequence
    /// Whether restoring its rows also restores those of the previous clearing.
    package let keepsEarlier: Bool
  }

  /// Removes all rows, including pinned ones; `seq` continues.
  ///
  /// The rows are kept until `forgetCleared`, so that `restoreCleared` can restore them. An earlier clearing's rows are deleted,
  /// unless nothing has been recorded since.
  @discardableResult
  package func clear() -> Clearing {
    flush()
    return state.withLock { state in
      state.clearings += 1
      let earlier = state.store.count == 0 ? state.cleared : nil
      state.cleared = ClearedLog(
        number: state.clearings, store: earlier?.store ?? state.store, drift: earlier?.drift ?? state.drift)
      state.store.clear()
      state.changes.removeAll()
      state.drift = DriftTally()
      return Clearing(number: state.clearings, through: state.store.next.previous, keepsEarlier: earlier != nil)
    }
  }

  /// Restores the cleared rows, before those recorded since; returns false if there are none any more.
  package func restoreCleared() -> Bool {
    flush()
    return state.withLock { state in
      guard let cleared = state.cleared else { return false }
      let recorded = state.store
      (state.store, state.drift, state.cleared) = (cleared.store, cleared.drift, nil)
      state.store.setCapacity(recorded.capacity)
      for position in 0..<recorded.count {
        let attempt = recorded[position]
        state.store.append(attempt)
        if let drift = attempt.row.drift { state.drift.add(drift, of: attempt.row) }
      }
      return true
    }
  }

  /// Deletes the rows of this clearing; returns false if they were restored or the log was cleared again.
  @discardableResult
  package func forgetCleared(_ clearing: Clearing) -> Bool {
    state.withLock { state in
      guard state.cleared?.number == clearing.number else { return false }
      state.cleared = nil
      return true
    }
  }
}

extension NetworkLog {
  /// The differences between the device's exchanges and the API description since the log was created or cleared.
  package var driftSummary: DriftSummary { state.withLock { $0.drift.summary } }

  /// Adds the result of a comparison to a finished row, even if it was cleared and can be restored; does nothing if it was
  /// deleted.
  ///
  /// `drift` is redacted, and `count` is the number of all differences.
  func setDrift(_ drift: [NetworkDrift], count: Int, of id: String) {
    state.withLock { state in
      guard let position = state.store.position(of: id) else {
        state.cleared?.setDrift(drift, count: count, of: id)
        return
      }
      let row = state.store.change(at: position) { $0.setDrift(drift, count: count) }
      state.drift.add(drift, of: row)
      state.changes.append(row)
    }
    notify()
  }
}

extension NetworkRowDetail {
  /// Sets the listed differences and, if there are more of them, their number.
  mutating func setDrift(_ drift: [NetworkDrift], count: Int) {
    row.drift = drift
    row.driftCount = count > drift.count ? count : nil
  }
}

/// Pages of the log.
extension NetworkLog {
  /// The rows that match the filter, oldest first.
  package func rows(filter: NetworkFilter = NetworkFilter()) -> NetworkPage {
    flush()
    return state.withLock { state in
      let (positions, next) = state.select(filter)
      return state.page(positions.map { state.store.row(at: $0) }, next: next)
    }
  }

  /// The same page as JSON; rows that did not change since they were last listed are not written again.
  package func json(filter: NetworkFilter = NetworkFilter()) -> [UInt8] {
    flush()
    return state.withLock { state in
      let (positions, next) = state.select(filter)
      let rows = positions.map { state.encoded.json(of: state.store.row(at: $0), next: state.store.next) }
      return state.page([], next: next).json(rows: rows)
    }
  }

  /// Frees the memory of data that can be rebuilt.
  package func releaseCachedJSON() { state.withLock { $0.encoded = EncodedRows() } }
}

extension NetworkLog.State {
  /// The positions of the rows that match the filter, oldest first, and the `seq` to continue from.
  fileprivate func select(_ filter: NetworkFilter) -> (positions: [Int], next: RowSequence) {
    var positions: [Int] = []
    let after = filter.after ?? 0
    var position = store.position(after: after)
    let limit = filter.limit ?? NetworkFilter.maximumLimit
    while position < store.count, positions.count < limit {
      if filter.matches(store.row(at: position)) { positions.append(position) }
      position += 1
    }
    let next = position == store.count ? store.next.previous : positions.last.map { store.row(at: $0).seq } ?? after
    return (positions, next)
  }

  fileprivate func page(_ rows: [NetworkRow], next: RowSequence) -> NetworkPage {
    // A saved log keeps the rows that left its memory.
    let unsaved = store.unsaved
    return NetworkPage(
      events: rows, next: next, dropped: unsaved.map { UInt64($0.lost) } ?? store.dropped, capacity: store.capacity,
      older: unsaved == nil ? nil : store.dropped, gaps: gaps.isEmpty ? nil : gaps)
  }
}

extension NetworkLog {
  /// Fills a new log with saved attempts, oldest first, and collects later changes to save.
  ///
  /// `older` is the number of saved attempts before these, `next` the `seq` of the next attempt, and `gaps` has the attempts
  /// after which some may be missing. An attempt that had not ended when it was saved is over: its state becomes `cancelled`, and
  /// its error `interrupted`.
  package func restore(_ attempts: [NetworkRowDetail], older: UInt64, next: RowSequence, gaps: [NetworkGap] = []) {
    state.withLock { state in
      state.gaps = gaps
      state.store.restore(attempts, older: older, next: next)
      for position in 0..<state.store.count {
        let row = state.store.row(at: position)
        if let drift = row.drift { state.drift.add(drift, of: row) }
        guard !row.state.isFinal else { continue }
        _ = state.store.change(at: position) { attempt in
          attempt.row.state = .cancelled
          attempt.row.error = "interrupted"
        }
      }
    }
  }

  /// The `seq` of the next attempt.
  package var nextSeq: RowSequence { state.withLock { $0.store.next } }

  /// Takes the attempts that changed since the last time, in the order in which they have to be saved.
  package func takeUnsaved() -> [NetworkRowDetail] {
    state.withLock { state in
      guard let (departed, changed) = state.store.unsaved?.take() else { return [] }
      return departed + changed.compactMap { seq in state.store.position(of: seq).map { state.store[$0] } }
    }
  }

  /// Takes back attempts that could not be saved; those that have left the memory meanwhile are lost.
  package func putBack(_ attempts: [NetworkRowDetail]) {
    state.withLock { state in
      for attempt in attempts {
        state.store.unsaved?.note(attempt.row.seq)
        if state.store.position(of: attempt.row.id) == nil { state.store.unsaved?.keep(attempt) }
      }
    }
  }
}

extension NetworkLog {
  /// How many attempts a search reads from the log at a time.
  private static let searchStride = 16

  /// Searches the bodies of the rows after `after`, oldest first; ASCII letters match in either case.
  ///
  /// Stops when `budget` is spent, but not before the first row; continue from `next`. At most one body is searched beyond the
  /// budget.
  package func search(text: String, after: RowSequence = 0, budget: Duration = .milliseconds(50)) -> NetworkSearchPage {
    let search = BodySearch(text)
    return pages(after: after, budget: budget) { store, position in
      let bodies = store.bodies(at: position)
      return [bodies.request, bodies.response]
    } matching: { bodies in
      bodies.contains { $0.map(search.matches) ?? false }
    }
  }

  /// Searches the headers of requests and responses, as `search(text:)` searches bodies.
  ///
  /// `header` is a part of a name, or a whole name and a part of its value after `=`; without a name, the value of any header.
  package func search(
    header: String, after: RowSequence = 0, budget: Duration = .milliseconds(50)
  ) -> NetworkSearchPage {
    let search = HeaderSearch(header)
    return pages(after: after, budget: budget) { store, position in
      store.headers(at: position)
    } matching: { headers in
      headers.contains { $0.contains { search.matches(name: $0.name, value: $0.value) } }
    }
  }

  /// Reads the same part of each row and tests it outside the lock, until the budget is spent.
  private func pages<Part: Sendable>(
    after: RowSequence, budget: Duration, reading: @Sendable (NetworkStore, Int) -> Part, matching: (Part) -> Bool
  ) -> NetworkSearchPage {
    flush()
    let deadline = ContinuousClock.now + budget
    var matches: [RowSequence] = []
    var cursor = after
    while true {
      let parts = state.withLock { [cursor] state in
        let first = state.store.position(after: cursor)
        return (first..<min(first + Self.searchStride, state.store.count)).map { position in
          (seq: state.store.row(at: position).seq, part: reading(state.store, position))
        }
      }
      if parts.isEmpty { return NetworkSearchPage(matches: matches, next: cursor, done: true) }
      for (seq, part) in parts {
        if matching(part) { matches.append(seq) }
        cursor = seq
        if ContinuousClock.now >= deadline { return NetworkSearchPage(matches: matches, next: cursor, done: false) }
      }
    }
  }
}

/// A header to search for: a part of its name, or its whole name and a part of its value; ASCII letters match in either case.
struct HeaderSearch {
  private let name: BodySearch
  /// The number of bytes of a whole name.
  private let length: Int?
  private let value: BodySearch

  /// Searches for `name` or `name=value`; an empty name before `=` matches every header.
  init(_ text: String) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = parts.first.map(String.init) ?? ""
    self.name = BodySearch(name)
    length = parts.count > 1 && !name.isEmpty ? name.utf8.count : nil
    value = BodySearch(parts.count > 1 ? String(parts[1]) : "")
  }

  /// Whether the header matches.
  func matches(name: String, value: String) -> Bool {
    if let length, length != name.utf8.count { return false }
    return self.name.matches(name) && self.value.matches(value)
  }
}

/// A text to search for in bodies, as they are and with characters in place of escapes; ASCII letters match in either case.
struct BodySearch {
  private let wanted: [UInt8]

  /// Searches for `text`; empty text matches everything.
  init(_ text: String) { wanted = text.utf8.map(ASCII.lowercased) }

  /// Whether the body contains the text.
  func matches(_ body: String) -> Bool {
    if matches(body.utf8.span) { return true }
    return Self.readable(body).map { matches($0.span) } ?? false
  }

  private func matches(_ bytes: borrowing Span<UInt8>) -> Bool {
    guard let first = wanted.first else { return true }
    guard bytes.count >= wanted.count else { return false }
    let upper = ASCII.isLowercase(first) ? first & ~0x20 : first
    for start in 0...(bytes.count - wanted.count) where bytes[start] == first || bytes[start] == upper {
      var length = 1
      while length < wanted.count, ASCII.lowercased(bytes[start + length]) == wanted[length] { length += 1 }
      if length == wanted.count { return true }
    }
    return false
  }

  /// The body with the characters of its JSON escapes `\u…` and `\/`, as pages show it; nil if it has none.
  private static func readable(_ body: String) -> [UInt8]? {
    let bytes = body.utf8.span
    let backslash = UInt8(ascii: "\\")
    var readable = [UInt8]()
    var units = [UInt16]()
    var copied = 0
    var place = 0
    while place + 1 < bytes.count {
      guard bytes[place] == backslash else {
        place += 1
        continue
      }
      let start = place
      units.removeAll(keepingCapacity: true)
      while place + 5 < bytes.count, bytes[place] == backslash, let unit = unit(in: bytes, at: place + 1) {
        units.append(unit)
        place += 6
      }
      if units.isEmpty {
        place += 2
        guard bytes[start + 1] == UInt8(ascii: "/") else { continue }
        units.append(UInt16(UInt8(ascii: "/")))
      }
      for index in copied..<start { readable.append(bytes[index]) }
      readable += String(decoding: units, as: UTF16.self).utf8
      copied = place
    }
    guard copied > 0 else { return nil }
    for index in copied..<bytes.count { readable.append(bytes[index]) }
    return readable
  }

  /// The UTF-16 unit of `u` and four hexadecimal digits.
  private static func unit(in bytes: borrowing Span<UInt8>, at place: Int) -> UInt16? {
    guard bytes[place] == UInt8(ascii: "u") else { return nil }
    var unit: UInt16 = 0
    for index in place + 1...place + 4 {
      guard let digit = Character(UnicodeScalar(bytes[index])).hexDigitValue else { return nil }
      unit = unit << 4 | UInt16(digit)
    }
    return unit
  }
}
