import Glibc
import Locking

/// The files below a root as they were last read; each is looked at again once a second, when it is asked for.
final class StaticFileCache: Sendable {
  private struct Entry {
    var file: StaticFile
    var checkedAt: ContinuousClock.Instant
    /// Whether a later change must have another time than the one that was read; else the bytes are compared too.
    var isSettled: Bool
    /// The answers as bytes, where the file is in memory.
    let prepared: PreparedFile?
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

  /// What a read led to.
  enum Reading {
    /// The file as it is now.
    case file(StaticFile)
    /// Somebody is writing to it, or it cannot be opened now.
    case busy
    /// There is no file of that path.
    case none
  }

  /// Larger files stay on the disk.
  private static let fileSize = 4 * 1024 * 1024
  /// All files in memory together have no more bytes than this; those that come later stay on the disk.
  private static let totalSize = 256 * 1024 * 1024
  private static let freshness = FileShortcuts.freshness

  private let root: FileRoot
  private let cacheControl: @Sendable (String) -> String
  private let now: @Sendable () -> ContinuousClock.Instant
  private let state = Locked(State())

  /// Reads every file of the root; `now` is the clock by which they are checked again.
  init(
    root: FileRoot, cacheControl: @escaping @Sendable (String) -> String, now: @escaping @Sendable () -> ContinuousClock.Instant
  ) {
    (self.root, self.cacheControl, self.now) = (root, cacheControl, now)
    for path in root.regularFiles() { _ = load(path) }
  }

  /// How many files there are.
  var count: Int { state.withLock { $0.entries.count } }

  /// The file as it is, or was less than a second ago.
  func file(_ path: String) -> Reading {
    let instant = now()
    let known = state.withLock { state -> Entry? in
      guard let entry = state.entries[path] else { return nil }
      // Whoever finds it stale checks; the others use it meanwhile.
      if instant - entry.checkedAt >= Self.freshness { state.entries[path]?.checkedAt = instant }
      return entry
    }
    guard let known, instant - known.checkedAt < Self.freshness else { return current(path, known) }
    return .file(known.file)
  }

  /// The answers of the file that these bytes of a path lead to; nil where ``file(_:)`` must be asked, as it is once a second.
  func prepared(_ wire: UnsafeBufferPointer<UInt8>, at instant: ContinuousClock.Instant) -> PreparedFile? {
    state.withLock { $0.shortcuts.find(wire, at: instant) }
  }

  /// Remembers until the file is looked at again that these bytes of a path lead to it.
  func addShortcut(_ wire: String, to path: String) {
    state.withLock { state in
      guard let entry = state.entries[path], let prepared = entry.prepared else { return }
      state.shortcuts.add(wire, path, prepared, until: entry.checkedAt + Self.freshness, limit: state.entries.count * 2)
    }
  }

  /// The bytes of a file's plain form; nil where it has gone or changed meanwhile.
  func content(of file: StaticFile, _ path: String) -> FileContent? {
    if let bytes = file.plain.bytes { return .memory(bytes) }
    guard case .file(let open) = root.open(path), open.identity == file.identity else { return nil }
    return .disk(open)
  }

  /// Reads a file anew, whatever is known of it.
  func reload(_ path: String) -> Reading { load(path) }

  private func current(_ path: String, _ known: Entry?) -> Reading {
    let reading = load(path, unless: known)
    switch reading {
    case .file: break
    case .busy: if let known { return .file(known.file) }
    case .none: state.withLock { $0.set(nil, for: path) }
    }
    return reading
  }

  private func load(_ path: String, unless known: Entry? = nil) -> Reading {
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
    let stem = StaticFile.stem(open.identity, bytes)
    let before = state.withLock { $0.entries[path]?.file }
    let metadata = StaticFile.Metadata(
      path: path, identity: open.identity, stem: stem, cacheControl: cacheControl(path), readAt: readAt,
      sharesSecond: before?.sharesSecond(open.identity, stem) ?? false)
    // The bytes of a file that changed within the last second may be those of before: nothing needs to be made anew.
    let kept = before.flatMap { $0.identity == open.identity && $0.stem == stem ? $0 : nil }
    let file = kept ?? StaticFile(metadata, bytes: bytes)
    let isSettled = bytes == nil || open.identity.modifiedSeconds < readAt
    let prepared = kept.flatMap { _ in known?.prepared } ?? PreparedFile(file)
    let entry = Entry(file: file, checkedAt: now(), isSettled: isSettled, prepared: prepared)
    state.withLock { $0.set(entry, for: path) }
    return .file(file)
  }
}
