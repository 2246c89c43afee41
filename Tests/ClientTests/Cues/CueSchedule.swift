import Client
import JSON
import RPC

/// A random sequence of edits, losses, kills and logouts of a device with two users, drawn from a seed.
///
/// The outbox and its store are real; network and backend are a model, and a kill loses everything but the store. Acknowledged
/// edits are recorded and in the end compared with the backend's effects.
struct CueSchedule {
  /// How often each event happened.
  struct Totals {
    var edits = 0, kills = 0, requestsLost = 0, answersLost = 0, busy = 0, rebased = 0, conflicts = 0, gone = 0
    var discarded = 0, otherUsers = 0, ghosts = 0

    mutating func add(_ other: Totals) {
      edits += other.edits
      kills += other.kills
      requestsLost += other.requestsLost
      answersLost += other.answersLost
      busy += other.busy
      rebased += other.rebased
      conflicts += other.conflicts
      gone += other.gone
      discarded += other.discarded
      otherUsers += other.otherUsers
      ghosts += other.ghosts
    }
  }

  /// The result of an acknowledged edit.
  enum End { case applied, conflict, gone, refused, discarded, replaced }

  /// A request that has left the device.
  struct Wire {
    let edit: CueEdit
    let user: String
    /// Whether the process that waits for the response was killed.
    var isGhost = false
  }

  private static let users = ["u", "v"]
  private(set) var totals = Totals()
  private var random: SeededRandom
  private let name: String
  private let store: ScheduleStore
  private var backend = CueModel()
  private var outbox: PersistentOutbox
  private var wires: [Wire] = []
  private var now = ContinuousClock.now
  /// The acknowledged edits in order, and their users.
  private var acknowledged: [(id: String, user: String)] = []
  private var ends: [String: End] = [:]
  /// The edit that each key was sent for.
  private var editOfKey: [String: String] = [:]
  private var count = 0
  private var problems: [String] = []

  init(seed: UInt64, store: ScheduleStore) throws {
    random = SeededRandom(seed: seed)
    name = "\(seed)"
    self.store = store
    for user in Self.users {
      let cues = (0..<4).map { CueReconciliationTests.cue("\(user)\($0)", .new, at: 10, position: $0) }
      for cue in cues { backend.cues[cue.cueID] = cue }
      try store.reconcile(cues, user)
    }
    outbox = try store.outbox("u")
    try perform(.open)
  }

  /// Performs one random step.
  mutating func step() throws {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<35: try edit()
    case 35..<65: try deliver()
    case 65..<72: elsewhere()
    case 72..<78: try fetch()
    case 78..<86: try wait()
    case 86..<92: try kill()
    case 92..<96: try changeUser()
    case 96..<98: try discard()
    default: if let id = cueIDs().randomElement(using: &random), Bool.random(using: &random) { backend.cues[id] = nil }
    }
  }

  /// Lets everything finish: every user signs in, the network works, and nobody else moves cues.
  mutating func settle() throws {
    for user in Self.users + Self.users {
      wires.removeAll { $0.isGhost }
      try signIn(user)
      for _ in 0..<500 {
        now += .seconds(3601)
        try perform(.timer)
        guard let index = wires.indices.first else { break }
        try arrive(wires.remove(at: index), answerIsLost: false)
      }
    }
  }

  /// The violations found.
  func faults() -> [String] {
    var faults = problems
    var kept: Set<String> = []
    for user in Self.users {
      let left = (try? store.edits(user)) ?? []
      let held = Set(left.filter(\.isConflict).map(\.cueID))
      for edit in left where !held.contains(edit.cueID) { faults.append("\(edit.id) was never sent") }
      kept.formUnion(left.map(\.id))
    }
    for (id, user) in acknowledged where ends[id] == nil && !kept.contains(id) { faults.append("\(id) of \(user) is lost") }
    for (id, end) in ends where end == .conflict && !kept.contains(id) { faults.append("\(id) waits for nobody") }
    var done: [String: Int] = [:]
    for effect in backend.effects {
      guard let id = editOfKey[effect.key] else { continue }
      done[id, default: 0] += 1
      if done[id] == 2 { faults.append("\(id) is done twice") }
    }
    let order = Dictionary(uniqueKeysWithValues: acknowledged.enumerated().map { ($1.id, (number: $0, user: $1.user)) })
    var last: [String: Int] = [:]
    for effect in backend.effects {
      // An edit that the user discarded while it was being sent may still arrive at any time.
      guard let id = editOfKey[effect.key], let (number, user) = order[id], ends[id] != .discarded else { continue }
      if let before = last[user], before > number { faults.append("\(id) overtook") }
      last[user] = number
    }
    for (id, end) in ends where end == .replaced && (done[id] ?? 0) > 0 { faults.append("\(id) was replaced and done") }
    return faults
  }

  // MARK: What happens

  private mutating func edit() throws {
    guard let cueID = cueIDs().randomElement(using: &random), let cue = try store.cue(cueID, outbox.userID) else {
      return
    }
    count += 1
    totals.edits += 1
    let id = "\(name) e\(count)"
    let replaced = outbox.state.edits(cueID: cueID)
    let isPick = replaced.contains(where: \.isConflict)
    let stage = CueStage.allCases.randomElement(using: &random) ?? .new
    acknowledged.append((id, outbox.userID))
    if isPick { for edit in replaced { ends[edit.id] = .replaced } }
    try perform(.edit(id: id, key: "\(id) key", cue: cue, stage: stage))
  }

  private mutating func deliver() throws {
    guard let index = wires.indices.randomElement(using: &random) else { return }
    let wire = wires.remove(at: index)
    if wire.isGhost {
      totals.ghosts += 1
      return try arrive(wire, answerIsLost: true)
    }
    switch Int.random(in: 0..<10, using: &random) {
    case 0:
      totals.requestsLost += 1
      try finish(wire, .offline)
    case 1:
      totals.answersLost += 1
      try arrive(wire, answerIsLost: true)
    case 2:
      totals.busy += 1
      try finish(wire, .busy(retryAfterSeconds: [nil, 3].randomElement(using: &random) ?? nil))
    case 3, 4:
      backend.moveElsewhere(wire.edit.cueID, to: .mastered)
      try arrive(wire, answerIsLost: false)
    default: try arrive(wire, answerIsLost: false)
    }
  }

  private mutating func elsewhere() {
    guard let id = cueIDs().randomElement(using: &random) else { return }
    backend.moveElsewhere(id, to: CueStage.allCases.randomElement(using: &random) ?? .new)
  }

  private mutating func fetch() throws {
    let cues = cueIDs().compactMap { backend.cues[$0] }
    try store.reconcile(cues, outbox.userID)
    try perform(.fetched(cues))
    try perform(.wake)
  }

  private mutating func wait() throws {
    now += .seconds(Int.random(in: 1...70, using: &random))
    try perform(.timer)
  }

  /// The process ends: only its store is left, and nobody waits for the requests in flight.
  private mutating func kill() throws {
    totals.kills += 1
    for index in wires.indices { wires[index].isGhost = true }
    outbox = try store.outbox(outbox.userID)
    try perform(.open)
  }

  private mutating func changeUser() throws {
    totals.otherUsers += 1
    try perform(.close)
    try signIn(Self.users.randomElement(using: &random) ?? "u")
  }

  private mutating func signIn(_ user: String) throws {
    outbox = try store.outbox(user)
    try perform(.open)
  }

  private mutating func discard() throws {
    for edit in outbox.state.edits {
      totals.discarded += 1
      ends[edit.id] = .discarded
    }
    try perform(.discard)
  }

  // MARK: The wire

  private mutating func arrive(_ wire: Wire, answerIsLost: Bool) throws {
    let edit = wire.edit
    let answer = backend.answer(
      key: edit.key, CueStageRequest(cueID: edit.cueID, stage: edit.stage, baseUpdatedAt: edit.base))
    guard !answerIsLost else { return wire.isGhost ? () : try finish(wire, .offline) }
    switch answer {
    case .moved(let cue): try finish(wire, .applied(cue))
    case .conflict(let cue): try finish(wire, .conflict(cue))
    case .gone: try finish(wire, .gone)
    case .mismatch: problems.append("\(edit.id) went out with two bodies under one key")
    }
  }

  private mutating func finish(_ wire: Wire, _ outcome: Outbox.Outcome) throws {
    count += 1
    let event = Outbox.Event.result(id: wire.edit.id, key: wire.edit.key, outcome, newKey: "\(wire.edit.id) key \(count)")
    guard wire.user != outbox.userID else { return try perform(event) }
    var former = try store.outbox(wire.user)
    note(try former.handle(event, now: now, random: 0.5), user: wire.user, isOpen: false)
  }

  private mutating func perform(_ event: Outbox.Event) throws {
    note(try outbox.handle(event, now: now, random: Double.random(in: 0..<1, using: &random)), user: outbox.userID, isOpen: true)
  }

  private mutating func note(_ actions: [Outbox.Action], user: String, isOpen: Bool) {
    for action in actions {
      switch action {
      case .send(let edit):
        if !isOpen { problems.append("\(edit.id) was sent for \(user), who is not there") }
        if edit.isRebased { totals.rebased += 1 }
        editOfKey[edit.key] = edit.id
        wires.append(Wire(edit: edit, user: user))
      case .resolve(let edit, let fate):
        if let end = ends[edit.id], end != .conflict { problems.append("\(edit.id) ended as \(end), then as \(fate)") }
        switch fate {
        case .applied: ends[edit.id] = .applied
        case .conflict:
          totals.conflicts += 1
          ends[edit.id] = .conflict
        case .gone:
          totals.gone += 1
          ends[edit.id] = .gone
        case .refused: ends[edit.id] = .refused
        }
      case .save, .wait: continue
      }
    }
  }

  private func cueIDs() -> [String] { (0..<4).map { "\(outbox.userID)\($0)" } }
}
