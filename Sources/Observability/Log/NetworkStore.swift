import DequeModule
import Redaction

/// The attempts of a log and the rules for evicting them; a value without locks or callbacks.
///
/// Three things are limited: rows, bytes of bodies, and bytes of everything else. A pinned row is exempt from all three limits,
/// and its body is evicted last.
struct NetworkStore {
  /// The most pinned rows.
  static let maximumPins = 100
  /// The average memory for a row without its bodies, in bytes.
  private static let bytesPerRow = 4096

  /// The most attempts, not counting older pinned ones.
  private(set) var capacity: Int
  /// The `seq` of the next attempt.
  private(set) var next: RowSequence = 1
  /// The number of evicted attempts, and of saved ones that were not read.
  private(set) var dropped: UInt64 = 0
  /// The most bytes of bodies.
  let bodyBudget: Int
  /// The attempts by ascending `seq`, oldest first. A restart or a clearing leaves a gap in `seq`.
  private var recent: Deque<NetworkRowDetail> = []
  /// Older, pinned attempts, oldest first.
  private var olderPinned: [NetworkRowDetail] = []
  /// The `seq` of each attempt by its ID.
  private var sequences: [String: RowSequence] = [:]
  private var pins: Set<String> = []
  /// The bytes of all bodies.
  private(set) var bodyBytes = 0
  private var rowBytes = 0
  /// The oldest attempt of `recent` with a body that may be evicted.
  private var firstBody: RowSequence = 1
  /// The changes since the last save; nil if the log is not saved.
  var unsaved: UnsavedAttempts?

  /// Creates an empty store of at most `capacity` attempts and `bodyBudget` bytes of bodies.
  init(capacity: Int, bodyBudget: Int) {
    self.capacity = max(1, capacity)
    self.bodyBudget = max(0, bodyBudget)
  }

  /// The most memory in bytes.
  var memoryLimit: Int { bodyBudget + (capacity + Self.maximumPins) * Self.bytesPerRow }

  private var oldest: RowSequence { recent.first?.row.seq ?? next }

  /// The index in `recent` of the first attempt with at least this `seq`, or its count if there is none.
  private func index(from seq: RowSequence) -> Int {
    guard let first = recent.first?.row.seq, seq > first else { return 0 }
    // Gaps only make `seq` greater, so equality means that there is none before.
    if let distance = Int(exactly: seq.distance(behind: first)), distance < recent.count, recent[distance].row.seq == seq {
      return distance
    }
    var low = 0
    var high = recent.count
    while low < high {
      let middle = (low + high) / 2
      if recent[middle].row.seq < seq { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The number of pinned attempts.
  var pinCount: Int { pins.count }

  /// The number of attempts.
  var count: Int { olderPinned.count + recent.count }

  /// The attempt at a position from 0, oldest first.
  subscript(position: Int) -> NetworkRowDetail {
    position < olderPinned.count ? olderPinned[position] : recent[position - olderPinned.count]
  }

  /// The row of an attempt, without copying the rest.
  func row(at position: Int) -> NetworkRow {
    position < olderPinned.count ? olderPinned[position].row : recent[position - olderPinned.count].row
  }

  /// The fingerprint of an attempt's request; nil if the attempt is not in the store.
  func fingerprint(of id: String) -> Int? {
    position(of: id).map { $0 < olderPinned.count ? olderPinned[$0].fingerprint : recent[$0 - olderPinned.count].fingerprint }
  }

  /// The bodies of an attempt.
  func bodies(at position: Int) -> (request: String?, response: String?) {
    position < olderPinned.count
      ? (olderPinned[position].request.body, olderPinned[position].response?.body)
      : (recent[position - olderPinned.count].request.body, recent[position - olderPinned.count].response?.body)
  }

  /// The headers of an attempt's request and response.
  func headers(at position: Int) -> [[(name: String, value: String)]] {
    let attempt = self[position]
    return [attempt.request.headers, attempt.response?.headers ?? []]
  }

  private mutating func edit<Result>(_ position: Int, _ body: (inout NetworkRowDetail) -> Result) -> Result {
    position < olderPinned.count ? body(&olderPinned[position]) : body(&recent[position - olderPinned.count])
  }

  /// The position of the first attempt with a greater `seq`, or `count` if there is none.
  func position(after seq: RowSequence) -> Int {
    guard seq >= oldest else { return olderPinned.firstIndex { $0.row.seq > seq } ?? olderPinned.count }
    return seq >= next ? count : olderPinned.count + index(from: seq.next)
  }

  /// The position of the attempt with this `seq`; nil if it is not in the store.
  func position(of seq: RowSequence) -> Int? {
    let position = seq == 0 ? 0 : position(after: seq.previous)
    return position < count && row(at: position).seq == seq ? position : nil
  }

  /// The position of an attempt; nil if it is not in the store.
  func position(of id: String) -> Int? {
    guard let seq = sequences[id] else { return nil }
    return seq >= oldest ? olderPinned.count + index(from: seq) : olderPinned.firstIndex { $0.row.seq == seq }
  }

  /// Adds an attempt, whose `seq` must not be below `next`.
  mutating func append(_ attempt: NetworkRowDetail) {
    next = max(next, attempt.row.seq)
    recent.append(attempt)
    sequences[attempt.row.id] = attempt.row.seq
    if attempt.row.isPinned { pins.insert(attempt.row.id) }
    next = next.next
    unsaved?.note(attempt.row.seq)
    count(attempt.size, 1)
    trim()
  }

  /// Adds saved attempts, oldest first, to an empty store, which counts `older` more that are saved and continues with `next`.
  mutating func restore(_ attempts: [NetworkRowDetail], older: UInt64, next: RowSequence) {
    unsaved = nil
    for attempt in attempts { append(attempt) }
    self.next = max(self.next, next)
    dropped += older
    unsaved = UnsavedAttempts()
  }

  /// Changes an attempt and increments its revision; returns its row.
  mutating func change(at position: Int, _ body: (inout NetworkRowDetail) -> Void) -> NetworkRow {
    let (before, after, row) = edit(position) { attempt in
      let before = attempt.size
      body(&attempt)
      attempt.row.rev += 1
      return (before, attempt.size, attempt.row)
    }
    count(before, -1)
    count(after, 1)
    firstBody = min(firstBody, max(row.seq, oldest))
    unsaved?.note(row.seq)
    trim()
    return row
  }

  /// Whether another attempt may be pinned: at most `maximumPins`, and half of the bytes for bodies, so that new rows keep
  /// theirs.
  func canPin(at position: Int) -> Bool {
    let pinned = pins.compactMap { self.position(of: $0) }
    let bytes = pinned.reduce(self[position].bodyBytes) { $0 + self[$1].bodyBytes }
    return pins.count < Self.maximumPins && bytes <= bodyBudget / 2
  }

  /// Pins or unpins an attempt and returns its row. An old attempt is evicted at once when unpinned.
  mutating func setPinned(_ isPinned: Bool, at position: Int) -> NetworkRow {
    let id = row(at: position).id
    if isPinned { pins.insert(id) } else { pins.remove(id) }
    let row = change(at: position) { $0.row.isPinned = isPinned }
    if !isPinned, let index = olderPinned.firstIndex(where: { $0.row.id == id }) { forget(olderPinned.remove(at: index)) }
    return row
  }

  /// Sets the number of attempts; evicts the oldest beyond it.
  mutating func setCapacity(_ capacity: Int) {
    self.capacity = max(1, capacity)
    trim()
  }

  /// Removes all attempts, including pinned ones; `next` is not reset.
  mutating func clear() {
    recent.removeAll()
    olderPinned.removeAll()
    sequences.removeAll()
    pins.removeAll()
    bodyBytes = 0
    rowBytes = 0
    dropped = 0
    firstBody = next
    unsaved?.removeAll()
  }

  private mutating func count(_ size: (body: Int, row: Int), _ sign: Int) {
    bodyBytes += sign * size.body
    rowBytes += sign * size.row
  }

  /// Handles an attempt that leaves `recent`: a pinned one stays.
  private mutating func retire(_ attempt: NetworkRowDetail) {
    if attempt.row.isPinned { olderPinned.append(attempt) } else { forget(attempt) }
  }

  private mutating func forget(_ attempt: NetworkRowDetail) {
    sequences[attempt.row.id] = nil
    unsaved?.keep(attempt)
    count(attempt.size, -1)
    dropped += 1
  }

  /// Evicts the oldest rows and bodies beyond the limits.
  private mutating func trim() {
    while recent.count > capacity || rowBytes > capacity * Self.bytesPerRow && recent.count > 1, let oldest = recent.popFirst() {
      retire(oldest)
    }
    firstBody = max(firstBody, oldest)
    guard bodyBytes > bodyBudget else { return }
    var index = index(from: firstBody)
    while bodyBytes > bodyBudget, index < recent.count {
      if !recent[index].row.isPinned { dropBodies(at: olderPinned.count + index) }
      index += 1
    }
    firstBody = index < recent.count ? recent[index].row.seq : next
    guard bodyBytes > bodyBudget else { return }
    // The response to a pinned request may be larger than the stored bodies when it was pinned.
    for position in 0..<count where bodyBytes > bodyBudget { dropBodies(at: position) }
  }

  private mutating func dropBodies(at position: Int) {
    let attempt = self[position]
    unsaved?.keep(attempt)
    bodyBytes -= edit(position) { attempt in
      defer {
        attempt.request.dropBody()
        attempt.response?.dropBody()
      }
      return attempt.bodyBytes
    }
  }
}

extension NetworkRowDetail {
  /// The bytes of the bodies.
  var bodyBytes: Int { request.bodyBytes + (response?.bodyBytes ?? 0) }

  fileprivate var size: (body: Int, row: Int) { (bodyBytes, rowBytes) }

  /// An estimate of the bytes of everything else: structures and texts.
  private var rowBytes: Int {
    let texts = url.utf8.count + row.path.utf8.count + (row.query?.utf8.count ?? 0) + (row.errorDetail?.utf8.count ?? 0)
    let drift = row.drift?.reduce(0) { $0 + 96 + $1.pointer.utf8.count + $1.expected.utf8.count + $1.got.utf8.count } ?? 0
    return 1024 + texts + drift + redactions.count * MemoryLayout<Redaction>.stride
      + Self.bytes(of: request.headers) + (response.map { Self.bytes(of: $0.headers) } ?? 0)
  }

  private static func bytes(of lines: [(name: String, value: String)]) -> Int {
    lines.reduce(0) { $0 + 32 + $1.name.utf8.count + $1.value.utf8.count }
  }
}
