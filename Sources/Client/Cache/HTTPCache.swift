package import Domain
import FoundationEssentials
package import HTTPTypes
import Locking
import Text

/// A device's private HTTP cache (RFC 9111, seed 003 §7): memory, then disk.
///
/// What a session's calls bring is kept apart from what needs no session, and goes with the session. Which session that is, the
/// session controller tells within its own turn (`sessionChanged`), and every use compares under the one lock: an answer that
/// arrives after its session ended is not kept, and nothing that is kept reaches another one.
package final class HTTPCache: Sendable {
  private struct User: Sendable {
    let epoch: UInt64
    let partition: String
  }

  private struct State: Sendable {
    var user: User?
    var memory: LRUCache<CacheKey, CacheEntry>
    /// How often each path was invalidated, so that an answer from before that is not kept after it.
    var generations: [String: UInt64] = [:]
    var isClosed = false
  }

  /// How many bytes are kept in memory unless somebody says otherwise: 2 MiB.
  package static let standardLimit = 2 << 20

  let origin: String
  private let backendID: String
  private let deviceID: String
  private let publicPartition: String
  private let disk: DiskCache?
  private let time: Time
  private let state: Locked<State>

  /// A cache that holds nothing yet for any session; without a disk it lives as long as the process.
  package init(configuration: ClientConfiguration, disk: DiskCache?, time: Time, memoryLimit: Int = HTTPCache.standardLimit) {
    origin = CacheKey.normalizedOrigin(configuration.origin)
    backendID = configuration.backendID
    deviceID = configuration.deviceID
    publicPartition = LengthPrefixed.name(["public", configuration.backendID, configuration.deviceID])
    self.disk = disk
    self.time = time
    state = Locked(State(memory: LRUCache(limit: memoryLimit)))
  }

  /// The bytes that are kept in memory.
  var byteCount: Int { state.withLock { $0.memory.bytes } }
  /// The bytes that are kept on disk; 0 without one.
  func byteCountOnDisk() async -> Int { await disk?.byteCount() ?? 0 }

  /// Now, on the clocks that ages are counted with.
  package var now: CacheInstant { CacheInstant(wall: time.wall().timeIntervalSince1970, monotonic: time.monotonic()) }

  // MARK: Calls

  /// What a call may use and keep; nil where it needs a session and there is none. `fields` are those of its request.
  package func ticket(for call: Call, fields: HTTPFields, needsSession: Bool) -> CacheTicket? {
    state.withLock { state in
      guard !state.isClosed else { return nil }
      let user = needsSession ? state.user : nil
      if needsSession, user == nil { return nil }
      let key = CacheKey(
        partition: user?.partition ?? publicPartition, method: call.method, origin: origin, path: call.path, query: call.query,
        fields: fields)
      return CacheTicket(
        key: key, fields: fields, epoch: user?.epoch, generation: state.generations[key.path] ?? 0,
        allowsHeuristic: !needsSession && call.query == nil)
    }
  }

  /// What is kept for a call and fits it.
  package func entry(for ticket: CacheTicket) async -> CacheEntry? {
    let inMemory = state.withLock { $0.memory.use(ticket.key) }
    if let inMemory { return matching(inMemory, ticket) }
    guard let disk, let onDisk = await disk.read(ticket.file) else { return nil }
    // The session may have ended, or another call stored something newer, while the file was read.
    let isCurrent = state.withLock { state in
      guard Self.accepts(ticket, state) else { return false }
      if state.memory.peek(ticket.key) == nil { state.memory.insert(onDisk, for: ticket.key, bytes: onDisk.byteCount) }
      return true
    }
    return isCurrent ? matching(onDisk, ticket) : nil
  }

  private func matching(_ entry: CacheEntry, _ ticket: CacheTicket) -> CacheEntry? {
    entry.varied.allSatisfy { $0.matches(ticket.fields) } ? entry : nil
  }

  /// Keeps what a call brought, unless its session is over, its path was invalidated meanwhile, or a later call was faster.
  package func store(_ entry: CacheEntry, for ticket: CacheTicket) {
    state.withLock { state in
      guard Self.accepts(ticket, state) else { return }
      if let other = state.memory.peek(ticket.key)?.times.sentAt, let own = entry.times.sentAt, own < other { return }
      state.memory.insert(entry, for: ticket.key, bytes: entry.byteCount)
      disk?.write(entry, to: ticket.file)
    }
  }

  /// Forgets what is kept for a call, as the backend no longer gives it.
  func remove(_ ticket: CacheTicket) {
    state.withLock { state in
      guard Self.accepts(ticket, state) else { return }
      state.memory.remove(ticket.key)
      disk?.remove(ticket.file)
    }
  }

  /// Whether what was found for a call may still be shown: nothing has ended its session or changed its path since.
  func isStillValid(_ ticket: CacheTicket) -> Bool { state.withLock { Self.accepts(ticket, $0) } }

  private static func accepts(_ ticket: CacheTicket, _ state: State) -> Bool {
    guard !state.isClosed, state.generations[ticket.key.path] ?? 0 == ticket.generation else { return false }
    guard let epoch = ticket.epoch else { return true }
    return state.user?.epoch == epoch && state.user?.partition == ticket.key.partition
  }

  /// Forgets what is kept of paths, whatever their query, as a call has changed it (RFC 9111 §4.4).
  func invalidate(_ paths: [String]) {
    guard !paths.isEmpty else { return }
    state.withLock { state in
      let partitions = [publicPartition] + (state.user.map { [$0.partition] } ?? [])
      for path in paths.map(PercentCoding.normalize) {
        state.generations[path, default: 0] += 1
        state.memory.removeAll { $0.path == path }
        for partition in partitions {
          disk?.removeAll(in: partition, prefix: CacheKey.filePrefix(partition: partition, origin: origin, path: path))
        }
      }
    }
  }

  // MARK: Sessions

  /// Follows the session; called within the controller's turn, so that no answer can come between its change and this one.
  package func sessionChanged(_ change: SessionChange) {
    state.withLock { state in
      guard !state.isClosed else { return }
      switch change {
      case .restored(let epoch, let sessionID):
        let partition = partition(of: sessionID)
        if state.user?.partition != partition { forgetUser(&state, except: [partition]) }
        state.user = User(epoch: epoch, partition: partition)
      case .loggedIn(let epoch, let sessionID):
        // Whatever a session of that name left behind is not this one's.
        forgetUser(&state, except: [])
        state.user = User(epoch: epoch, partition: partition(of: sessionID))
      case .refreshed(let epoch, let sessionID):
        // A refresh brings another token of the same user: what was learned stays true. Another session does not.
        guard state.user?.partition != partition(of: sessionID) else { return }
        forgetUser(&state, except: [])
        state.user = User(epoch: epoch, partition: partition(of: sessionID))
      case .ended:
        forgetUser(&state, except: [])
      case .closed:
        state.isClosed = true
        state.user = nil
        state.memory.removeAll { _ in true }
      }
    }
  }

  /// Waits until what was decided is done on the disk too.
  package func flush() async { await disk?.flush() }

  private func forgetUser(_ state: inout State, except kept: Set<String>) {
    state.user = nil
    state.memory.removeAll { $0.partition != publicPartition }
    disk?.dropPartitions(except: kept.union([publicPartition]))
  }

  private func partition(of sessionID: String) -> String {
    LengthPrefixed.name(["session", backendID, deviceID, sessionID])
  }
}

/// What a call may use and keep: its key, and what must still hold when its answer comes.
package struct CacheTicket: Sendable {
  let key: CacheKey
  /// The request's fields, as far as they are the same for every attempt.
  let fields: HTTPFields
  /// The session that the call belongs to; nil for a call without auth.
  let epoch: UInt64?
  /// How often its path had been invalidated.
  let generation: UInt64
  /// Whether a lifetime may be guessed where the answer names none.
  let allowsHeuristic: Bool

  /// Where its answer lies on the disk.
  package var file: DiskCache.Name { DiskCache.Name(partition: key.partition, file: key.fileName) }
}
