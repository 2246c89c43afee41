package import Domain
import FoundationEssentials
package import HTTPTypes
import Locking
import Text

/// A device's private HTTP cache (RFC 9111; seed-rules I-25 to I-26 "A cache", I-27 "then on disk"): memory, then disk.
///
/// Responses to authenticated calls are stored apart from public ones and removed with the session. The session controller
/// reports its session within its own turn (`sessionChanged`), and every use compares under one lock. A response that arrives
/// after its session ended is not stored, and no other session sees a stored response.
package final class HTTPCache: Sendable {
  private struct User: Sendable {
    let epoch: UInt64
    let partition: String
    /// When the tokens were last refreshed; earlier responses are revalidated (seed-rules I-35 "clears the related cache").
    var refreshedAt: ContinuousClock.Instant?
  }

  private struct State: Sendable {
    var user: User?
    var memory: LRUCache<CacheKey, CacheEntry>
    /// How often each path was invalidated, so that a response to an earlier request is not stored afterwards.
    var generations: [String: UInt64] = [:]
    var isClosed = false
  }

  /// The default size limit of the memory: 2 MiB.
  package static let standardLimit = 2 << 20

  let origin: String
  private let backendID: String
  private let deviceID: String
  private let publicPartition: String
  private let disk: DiskCache?
  private let time: Time
  private let state: Locked<State>

  /// Creates an empty cache; without `disk` it lives as long as the process.
  package init(configuration: ClientConfiguration, disk: DiskCache?, time: Time, memoryLimit: Int = HTTPCache.standardLimit) {
    origin = CacheKey.normalizedOrigin(configuration.origin)
    backendID = configuration.backendID
    deviceID = configuration.deviceID
    publicPartition = LengthPrefixed.name(["public", configuration.backendID, configuration.deviceID])
    self.disk = disk
    self.time = time
    state = Locked(State(memory: LRUCache(limit: memoryLimit)))
  }

  /// The size of the responses in memory, in bytes.
  var byteCount: Int { state.withLock { $0.memory.bytes } }
  /// The size of the responses on disk, in bytes; 0 without a disk.
  func byteCountOnDisk() async -> Int { await disk?.byteCount() ?? 0 }

  /// The current instant on the clocks that ages are computed with.
  package var now: CacheInstant { CacheInstant(wall: time.wall().timeIntervalSince1970, monotonic: time.monotonic()) }

  // MARK: Calls

  /// The cache access of a call with the given request fields; nil if it needs a session and there is none.
  package func ticket(for call: Call, fields: HTTPFields, needsSession: Bool) -> CacheTicket? {
    state.withLock { state in
      guard !state.isClosed else { return nil }
      let user = needsSession ? state.user : nil
      if needsSession, user == nil { return nil }
      let key = CacheKey(
        partition: user?.partition ?? publicPartition, method: call.method, origin: origin, path: call.path, query: call.query,
        fields: fields)
      return CacheTicket(
        key: key, fields: fields, epoch: user?.epoch, refreshedAt: user?.refreshedAt,
        generation: state.generations[key.path] ?? 0,
        allowsHeuristic: !needsSession && call.query == nil)
    }
  }

  /// The stored response for a call, if its `Vary` fields match.
  package func entry(for ticket: CacheTicket) async -> CacheEntry? {
    let inMemory = state.withLock { $0.memory.use(ticket.key) }
    if let inMemory { return matching(inMemory, ticket) }
    guard let disk, let onDisk = await disk.read(ticket.file) else { return nil }
    // While the file was read, the session may have ended or another call stored something newer.
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

  /// Stores a call's response unless its session is over, its path was invalidated, or a later request has stored its own.
  ///
  /// If the backend only confirmed it, its body is on the disk already.
  package func store(_ entry: CacheEntry, for ticket: CacheTicket, isConfirmed: Bool = false) {
    state.withLock { state in
      guard Self.accepts(ticket, state) else { return }
      if let other = state.memory.peek(ticket.key)?.times.sentAt, let own = entry.times.sentAt, own < other { return }
      state.memory.insert(entry, for: ticket.key, bytes: entry.byteCount)
      if isConfirmed { disk?.confirm(entry, of: ticket.file) } else { disk?.write(entry, to: ticket.file) }
    }
  }

  /// Removes the stored response of a call.
  func remove(_ ticket: CacheTicket) {
    state.withLock { state in
      guard Self.accepts(ticket, state) else { return }
      state.memory.remove(ticket.key)
      disk?.remove(ticket.file)
    }
  }

  /// Whether the session has not ended and the path has not been invalidated since the ticket was made.
  func isStillValid(_ ticket: CacheTicket) -> Bool { state.withLock { Self.accepts(ticket, $0) } }

  private static func accepts(_ ticket: CacheTicket, _ state: State) -> Bool {
    guard !state.isClosed, state.generations[ticket.key.path] ?? 0 == ticket.generation else { return false }
    guard let epoch = ticket.epoch else { return true }
    return state.user?.epoch == epoch && state.user?.partition == ticket.key.partition
  }

  /// Removes the stored responses of paths, whatever their query, after a call changed them (RFC 9111 §4.4).
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

  /// Follows the session; called within the controller's turn, so that no response can come in between.
  package func sessionChanged(_ change: SessionChange) {
    state.withLock { state in
      guard !state.isClosed else { return }
      switch change {
      case .restored(let epoch, let sessionID):
        let partition = partition(of: sessionID)
        if state.user?.partition != partition { forgetUser(&state, except: [partition]) }
        state.user = User(epoch: epoch, partition: partition)
      case .loggedIn(let epoch, let sessionID):
        // Responses of an earlier session with the same id do not belong to this one.
        forgetUser(&state, except: [])
        state.user = User(epoch: epoch, partition: partition(of: sessionID))
      case .refreshed(let epoch, let sessionID):
        // The stored responses of the session are revalidated from now on; those of another are removed.
        let partition = partition(of: sessionID)
        if state.user?.partition != partition { forgetUser(&state, except: []) }
        state.user = User(epoch: epoch, partition: partition, refreshedAt: time.monotonic())
      case .absent:
        forgetUser(&state, except: [])
      case .ended:
        forgetUser(&state, except: [])
        // Removes the configuration too, which is not a user's data (seed-rules N-54 "deletes cached data").
        state.memory.removeAll { _ in true }
        disk?.dropPartitions(except: [])
      case .closed:
        state.isClosed = true
        state.user = nil
        state.memory.removeAll { _ in true }
      }
    }
  }

  /// Waits until all changes have reached the disk.
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

/// A call's access to the cache: its key, and the conditions for storing its response.
package struct CacheTicket: Sendable {
  let key: CacheKey
  /// The header fields of the request that are the same for every attempt.
  let fields: HTTPFields
  /// The session that the call belongs to; nil for a call without authentication.
  let epoch: UInt64?
  /// When the session's tokens were last refreshed; nil if they were not since the launch or login.
  let refreshedAt: ContinuousClock.Instant?
  /// How often its path had been invalidated.
  let generation: UInt64
  /// Whether a response may get a heuristic lifetime if it has no explicit one.
  let allowsHeuristic: Bool

  /// Whether a fresh stored response may be used without revalidation: it was requested after the last refresh.
  func accepts(_ entry: CacheEntry) -> Bool {
    guard let refreshedAt else { return true }
    return entry.times.sentAt.map { $0 >= refreshedAt } ?? false
  }

  /// The location of its response on disk.
  package var file: DiskCache.Name { DiskCache.Name(partition: key.partition, file: key.fileName) }
}
