import Glibc
import Locking
import Logging
import Text

/// The files below a root as last read. When a file is requested, it is checked for changes at most once a second.
final class StaticFileCache: Sendable {
  private struct Entry {
    var file: StaticFile
    var checkedAt: ContinuousClock.Instant
    /// Whether a later change must have another modification time. If not, the bytes are compared too.
    var isSettled: Bool
    /// The prepared responses, if the file is in memory.
    let prepared: PreparedFile?
    /// The sources of a composed file; empty for a file that is served as it is.
    let sources: [SourceFiles.Record]
  }

  private struct State {
    var entries: [String: Entry] = [:]
    var shortcuts = FileShortcuts()
    var size = 0

    mutating func set(_ entry: Entry?, for path: String) {
      size -= entries[path]?.file.plain.bytes?.count ?? 0
      size += entry?.file.plain.bytes?.count ?? 0
      entries[path] = entry
      shortcuts.forget(path)
    }
  }

  /// The result of reading a file.
  enum Reading {
    /// The current version.
    case file(StaticFile)
    /// The file is being written, or cannot be opened at the moment.
    case busy
    /// There is no file with this path.
    case none
  }

  /// Larger files, in bytes, stay on disk.
  private static let fileSize = 4 * 1024 * 1024
  /// The total size of files in memory, in bytes; further files stay on disk.
  private static let totalSize = 256 * 1024 * 1024
  private static let freshness = FileShortcuts.freshness

  private let root: FileRoot
  private let composers: [any FileComposer]
  private let cacheControl: @Sendable (String) -> String
  private let logger: Logger
  private let now: @Sendable () -> ContinuousClock.Instant
  private let state = Locked(State())

  /// Reads every file below the root; `now` is the clock for checking them again.
  init(
    root: FileRoot, configuration: StaticFiles.Configuration, logger: Logger,
    now: @escaping @Sendable () -> ContinuousClock.Instant
  ) throws(CompositionError) {
    self.root = root
    composers = configuration.composers
    cacheControl = configuration.cacheControl
    self.logger = logger
    self.now = now
    for path in root.regularFiles() where !isSource(path) { _ = try load(path) }
  }

  /// The number of files.
  var count: Int { state.withLock { $0.entries.count } }

  /// The file as it is now, or was less than a second ago; none for one without an address.
  func file(_ path: String) -> Reading { isSource(path) ? .none : latest(path) }

  /// The file as it is now, or was less than a second ago, whether it has an address or not.
  func latest(_ path: String) -> Reading {
    let instant = now()
    let known = state.withLock { state -> Entry? in
      guard let entry = state.entries[path] else { return nil }
      // Only the first caller that finds the file stale checks it; the others use it meanwhile.
      if instant - entry.checkedAt >= Self.freshness { state.entries[path]?.checkedAt = instant }
      return entry
    }
    guard let known, instant - known.checkedAt < Self.freshness else { return current(path, known) }
    return .file(known.file)
  }

  /// The prepared responses for a path as sent; nil if ``file(_:)`` must be called, which happens once a second.
  func prepared(_ wire: UnsafeBufferPointer<UInt8>, at instant: ContinuousClock.Instant) -> PreparedFile? {
    state.withLock { $0.shortcuts.find(wire, at: instant) }
  }

  /// Maps a path as sent to its file, until the file has to be checked.
  func addShortcut(_ wire: String, to path: String) {
    state.withLock { state in
      guard let entry = state.entries[path], let prepared = entry.prepared else { return }
      state.shortcuts.add(wire, path, prepared, until: entry.checkedAt + Self.freshness, limit: state.entries.count * 2)
    }
  }

  /// The uncompressed content of a file; nil if the file was removed or has changed.
  func content(of file: StaticFile, _ path: String) -> FileContent? {
    if let bytes = file.plain.bytes { return .memory(bytes) }
    guard case .file(let open) = root.open(path), open.identity == file.identity else { return nil }
    return .disk(open)
  }

  /// Reads a file again, regardless of the cache.
  func reload(_ path: String) -> Reading { reading(path) }

  private func isSource(_ path: String) -> Bool { composers.contains { $0.isSource(path) } }

  private func current(_ path: String, _ known: Entry?) -> Reading {
    let reading = reading(path, unless: known)
    switch reading {
    case .file: break
    case .busy: if let known { return .file(known.file) }
    case .none: state.withLock { $0.set(nil, for: path) }
    }
    return reading
  }

  /// The result of a read; a file whose sources do not fit together counts as busy, so that its last state stays.
  private func reading(_ path: String, unless known: Entry? = nil) -> Reading {
    do { return try load(path, unless: known) } catch {
      if case .invalid(let reason) = error { logger.warning("a page cannot be composed", metadata: ["reason": "\(reason)"]) }
      return .busy
    }
  }

  private func load(_ path: String, unless known: Entry? = nil) throws(CompositionError) -> Reading {
    if let known, known.isSettled, !known.sources.isEmpty,
      known.sources.allSatisfy({ SourceFiles.isUnchanged($0, below: root) })
    {
      return .file(known.file)
    }
    let readAt = Int64(time(nil))
    for composer in composers {
      var sources = SourceFiles(root: root)
      guard let bytes = try composer.content(of: path, from: &sources), var identity = sources.latest else { continue }
      identity.size = bytes.count
      return keep(path, identity, bytes, sources.records, readAt: readAt, unless: known)
    }
    return loadPlain(path, unless: known)
  }

  private func loadPlain(_ path: String, unless known: Entry?) -> Reading {
    let open: OpenFile
    switch root.open(path) {
    case .file(let file): open = file
    case .none: return .none
    case .unavailable: return .busy
    }
    let isSame = known?.file.identity == open.identity
    if let known, isSame, known.isSettled { return .file(known.file) }
    let size = open.identity.size
    let readAt = Int64(time(nil))
    var bytes: [UInt8]?
    if isSame || size <= Self.fileSize && state.withLock({ $0.size }) <= Self.totalSize - size {
      bytes = open.read(0..<size)
      guard bytes != nil, open.isUnchanged else { return .busy }
    }
    return keep(path, open.identity, bytes, [], readAt: readAt, unless: known)
  }

  private func keep(
    _ path: String, _ identity: FileRoot.Identity, _ bytes: [UInt8]?, _ sources: [SourceFiles.Record], readAt: Int64,
    unless known: Entry?
  ) -> Reading {
    let stem = StaticFile.stem(identity, bytes)
    let before = state.withLock { $0.entries[path]?.file }
    let metadata = StaticFile.Metadata(
      path: path, identity: identity, stem: stem, cacheControl: cacheControl(path), readAt: readAt,
      sharesSecond: before?.sharesSecond(identity, stem) ?? false)
    // If a file changed within the last second, its bytes may still be the same; keep the prepared version then.
    let kept = before.flatMap { $0.identity == identity && $0.stem == stem ? $0 : nil }
    let file = kept ?? StaticFile(metadata, bytes: bytes)
    let isSettled = bytes == nil || identity.modifiedSeconds < readAt
    let prepared = kept.flatMap { _ in known?.prepared } ?? PreparedFile(file)
    let entry = Entry(file: file, checkedAt: now(), isSettled: isSettled, prepared: prepared, sources: sources)
    state.withLock { $0.set(entry, for: path) }
    return .file(file)
  }
}

/// Maps the bytes of a request's path to prepared responses, for as long as the file need not be checked for changes.
struct FileShortcuts {
  private struct Entry {
    let wire: [UInt8]
    let path: String
    let prepared: PreparedFile
    var end: ContinuousClock.Instant
  }

  /// How long a file is served without being checked.
  static let freshness = Duration.seconds(1)

  /// Keyed by a hash of the path; if two paths have the same hash, one of them takes the slower way.
  private var entries: [UInt64: Entry] = [:]

  /// The responses, if they are fresh. Only the first caller that finds them stale checks the file; the others use them
  /// meanwhile.
  mutating func find(_ wire: UnsafeBufferPointer<UInt8>, at instant: ContinuousClock.Instant) -> PreparedFile? {
    let hash = FNV1a.hash(wire)
    guard let entry = entries[hash], entry.wire.elementsEqual(wire) else { return nil }
    if instant < entry.end { return entry.prepared }
    entries[hash]?.end = instant + Self.freshness
    return nil
  }

  /// Adds a path as sent. Drops all entries if there are more than `limit`, as clients may spell a path in many ways.
  mutating func add(
    _ wire: String, _ path: String, _ prepared: PreparedFile, until end: ContinuousClock.Instant, limit: Int
  ) {
    let wire = Array(wire.utf8)
    let hash = FNV1a.hash(wire)
    if let entry = entries[hash], entry.prepared === prepared, entry.wire == wire { return }
    if entries.count >= limit { entries.removeAll() }
    entries[hash] = Entry(wire: wire, path: path, prepared: prepared, end: end)
  }

  /// Drops every entry of a file that was read again.
  mutating func forget(_ path: String) {
    if entries.values.contains(where: { $0.path == path }) { entries = entries.filter { $0.value.path != path } }
  }
}
