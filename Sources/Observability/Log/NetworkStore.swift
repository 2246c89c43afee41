import DequeModule

/// The attempts that a log holds and what gives way to what; a value without locks or callbacks.
///
/// Three things are bounded: the rows, the bytes of bodies, and the bytes of everything else. A pinned row outlives all three bounds,
/// and its body outlives those of other rows.
struct NetworkStore {
  /// How many rows can be pinned at a time.
  static let maximumPins = 100
  /// What a row may take on average without its bodies, in bytes.
  static let bytesPerRow = 4096

  /// How many attempts are kept, those that were pinned and are older aside.
  private(set) var capacity: Int
  /// The `seq` of the next attempt.
  private(set) var next: UInt64 = 1
  /// How many attempts gave way.
  private(set) var dropped: UInt64 = 0
  /// How many bytes of bodies are kept.
  let bodyBudget: Int
  /// The attempts with consecutive `seq`, the oldest first.
  private var recent: Deque<NetworkRowDetail> = []
  /// Pinned attempts that are older than those, the oldest first.
  private var olderPinned: [NetworkRowDetail] = []
  /// Where an attempt stands, by its id.
  private var sequences: [String: UInt64] = [:]
  private var pins: Set<String> = []
  /// The bytes that the bodies take.
  private(set) var bodyBytes = 0
  private var rowBytes = 0
  /// The oldest attempt of `recent` that can still hold a body which may give way.
  private var firstBody: UInt64 = 1

  /// An empty store of at most `capacity` attempts and `bodyBudget` bytes of bodies.
  init(capacity: Int, bodyBudget: Int) {
    self.capacity = max(1, capacity)
    self.bodyBudget = max(0, bodyBudget)
  }

  /// The most bytes that everything takes.
  var memoryLimit: Int { bodyBudget + (capacity + Self.maximumPins) * Self.bytesPerRow }

  private var oldest: UInt64 { next - UInt64(recent.count) }

  /// How many attempts are pinned.
  var pinCount: Int { pins.count }

  /// How many attempts are held.
  var count: Int { olderPinned.count + recent.count }

  /// An attempt by its place in time, from 0 on, the oldest first.
  subscript(position: Int) -> NetworkRowDetail {
    position < olderPinned.count ? olderPinned[position] : recent[position - olderPinned.count]
  }

  /// The row of an attempt, without a copy of the rest.
  func row(at position: Int) -> NetworkRow {
    position < olderPinned.count ? olderPinned[position].row : recent[position - olderPinned.count].row
  }

  /// The fingerprint of the request that an attempt shows; nil where it is not held.
  func fingerprint(of id: String) -> Int? {
    position(of: id).map { $0 < olderPinned.count ? olderPinned[$0].fingerprint : recent[$0 - olderPinned.count].fingerprint }
  }

  /// The bodies of an attempt.
  func bodies(at position: Int) -> (request: String?, response: String?) {
    position < olderPinned.count
      ? (olderPinned[position].request.body, olderPinned[position].response?.body)
      : (recent[position - olderPinned.count].request.body, recent[position - olderPinned.count].response?.body)
  }

  private mutating func edit<Result>(_ position: Int, _ body: (inout NetworkRowDetail) -> Result) -> Result {
    position < olderPinned.count ? body(&olderPinned[position]) : body(&recent[position - olderPinned.count])
  }

  /// The position of the first attempt with a greater `seq`, which may be any number; `count` where there is none.
  func position(after seq: UInt64) -> Int {
    guard seq >= oldest else { return olderPinned.firstIndex { $0.row.seq > seq } ?? olderPinned.count }
    return seq - oldest >= UInt64(recent.count) ? count : olderPinned.count + Int(seq - oldest) + 1
  }

  /// The position of an attempt; nil where it is not held.
  func position(of id: String) -> Int? {
    guard let seq = sequences[id] else { return nil }
    return seq >= oldest ? olderPinned.count + Int(seq - oldest) : olderPinned.firstIndex { $0.row.seq == seq }
  }

  /// Adds the attempt, whose `seq` is `next`.
  mutating func append(_ attempt: NetworkRowDetail) {
    recent.append(attempt)
    sequences[attempt.row.id] = attempt.row.seq
    next += 1
    count(attempt.size, 1)
    trim()
  }

  /// Changes an attempt and raises its revision; gives its row back.
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
    trim()
    return row
  }

  /// Whether one more attempt can be pinned: at most `maximumPins`, and half of the bodies' bytes so that new rows keep theirs.
  func canPin(at position: Int) -> Bool {
    let pinned = pins.compactMap { self.position(of: $0) }
    let bytes = pinned.reduce(self[position].bodyBytes) { $0 + self[$1].bodyBytes }
    return pins.count < Self.maximumPins && bytes <= bodyBudget / 2
  }

  /// Pins an attempt, or lets it go its way again: then an old one gives way at once. Its row as it is now.
  mutating func setPinned(_ isPinned: Bool, at position: Int) -> NetworkRow {
    let id = row(at: position).id
    if isPinned { pins.insert(id) } else { pins.remove(id) }
    let row = change(at: position) { $0.row.isPinned = isPinned }
    if !isPinned, let index = olderPinned.firstIndex(where: { $0.row.id == id }) { forget(olderPinned.remove(at: index)) }
    return row
  }

  /// Sets how many attempts are kept; of more the oldest give way.
  mutating func setCapacity(_ capacity: Int) {
    self.capacity = max(1, capacity)
    trim()
  }

  /// Lets everything go, what is pinned too; `next` stays.
  mutating func clear() {
    recent.removeAll()
    olderPinned.removeAll()
    sequences.removeAll()
    pins.removeAll()
    bodyBytes = 0
    rowBytes = 0
    dropped = 0
    firstBody = next
  }

  private mutating func count(_ size: (body: Int, row: Int), _ sign: Int) {
    bodyBytes += sign * size.body
    rowBytes += sign * size.row
  }

  private mutating func forget(_ attempt: NetworkRowDetail) {
    sequences[attempt.row.id] = nil
    count(attempt.size, -1)
    dropped += 1
  }

  /// Lets the oldest rows and bodies go that are too many.
  private mutating func trim() {
    while recent.count > capacity || rowBytes > capacity * Self.bytesPerRow && recent.count > 1, let oldest = recent.popFirst() {
      if oldest.row.isPinned { olderPinned.append(oldest) } else { forget(oldest) }
    }
    firstBody = max(firstBody, oldest)
    while bodyBytes > bodyBudget, firstBody < next {
      let position = olderPinned.count + Int(firstBody - oldest)
      if !recent[position - olderPinned.count].row.isPinned { dropBodies(at: position) }
      firstBody += 1
    }
    guard bodyBytes > bodyBudget else { return }
    // Answers to pinned requests can be larger than what was there when they were pinned.
    for position in 0..<count where bodyBytes > bodyBudget { dropBodies(at: position) }
  }

  private mutating func dropBodies(at position: Int) {
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
  /// The bytes that the bodies take in the log.
  var bodyBytes: Int { request.bodyBytes + (response?.bodyBytes ?? 0) }

  fileprivate var size: (body: Int, row: Int) { (bodyBytes, rowBytes) }

  /// About the bytes that everything else takes: the structures and the texts beyond them.
  private var rowBytes: Int {
    let texts = url.utf8.count + row.path.utf8.count + (query?.utf8.count ?? 0) + (errorDetail?.utf8.count ?? 0)
    return 1024 + texts + redactions.count * MemoryLayout<Redaction>.stride
      + Self.bytes(of: request.headers) + (response.map { Self.bytes(of: $0.headers) } ?? 0)
  }

  private static func bytes(of lines: [(name: String, value: String)]) -> Int {
    lines.reduce(0) { $0 + 32 + $1.name.utf8.count + $1.value.utf8.count }
  }
}
