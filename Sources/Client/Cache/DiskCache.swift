import Dispatch
import Locking
package import Vault

/// The responses of one device and backend on disk: encrypted files, one folder for each partition, up to a total size.
///
/// Operations run in order on a dispatch queue, so that no event loop waits for a file. Errors stay inside: on a full or
/// missing disk the cache is empty.
package final class DiskCache: Sendable {
  /// The location of a file.
  package struct Name: Hashable, Sendable {
    /// The folder.
    let partition: String
    /// The file in it.
    let file: String
  }

  private struct State: Sendable {
    var root: CacheFolder?
    var partitions: [String: CacheFolder] = [:]
    var index: LRUCache<Name, Int>
    var isOpened = false
  }

  /// The entries that are written later, because only their times changed.
  private struct Confirmed {
    var entries: [Name: CacheEntry] = [:]
    var isScheduled = false
  }

  /// The default size limit: 16 MiB.
  package static let standardLimit = 16 << 20

  private let path: String
  private let key: SealingKey
  private let limit: Int
  private let write: CacheFolder.Write
  /// How long an entry's times on the disk may stay outdated.
  private let confirmationDelay: DispatchTimeInterval
  private let confirmed = Locked(Confirmed())
  private let queue = DispatchQueue(label: "http cache")
  /// Deletes removed folders in the background.
  private let sweeper = DispatchQueue(label: "http cache sweeper", qos: .background)
  /// Used on `queue` only, so the lock is never contended.
  private let state: Locked<State>

  /// Creates the cache of a device and backend below a folder that all devices share; does not touch the disk.
  package convenience init(
    folder: String, key: SealingKey, deviceID: String, backendID: String, limit: Int = DiskCache.standardLimit
  ) {
    self.init(
      path: "\(Self.deviceFolder(folder, deviceID))/\(LengthPrefixed.name(["backend", backendID]))", key: key, limit: limit)
  }

  /// Creates a cache in its own folder; `write` replaces the system call.
  init(
    path: String, key: SealingKey, limit: Int, confirmationDelay: DispatchTimeInterval = .seconds(1),
    write: @escaping CacheFolder.Write = CacheFolder.systemWrite
  ) {
    self.path = path
    self.confirmationDelay = confirmationDelay
    // Tokens and stored responses use different keys, both derived from the device's.
    self.key = SealingKey(bytes: key.derive("http cache")) ?? key
    self.limit = limit
    self.write = write
    state = Locked(State(index: LRUCache(limit: limit)))
  }

  /// Removes all data of a device, for every backend; returns once it is removed.
  package static func erase(folder: String, deviceID: String) async {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        CacheFolder.open(path: folder)?.removeTree(deviceName(deviceID))
        continuation.resume()
      }
    }
  }

  private static func deviceFolder(_ folder: String, _ deviceID: String) -> String { "\(folder)/\(deviceName(deviceID))" }

  private static func deviceName(_ deviceID: String) -> String { LengthPrefixed.name(["device", deviceID]) }

  // MARK: Files

  /// Reads an entry; removes a file that does not decrypt and returns nil.
  package func read(_ name: Name) async -> CacheEntry? {
    await withCheckedContinuation { continuation in
      run { state in continuation.resume(returning: self.read(name, &state)) }
    }
  }

  /// Replaces an entry; if that fails, neither version is kept.
  func write(_ entry: CacheEntry, to name: Name) { run { state in self.write(entry, to: name, &state) } }

  /// Replaces an entry whose body is unchanged after a 304, within a second, so that a screen that is opened repeatedly does not
  /// write a file each time.
  func confirm(_ entry: CacheEntry, of name: Name) {
    confirmed.withLock { confirmed in
      confirmed.entries[name] = entry
      guard !confirmed.isScheduled else { return }
      confirmed.isScheduled = true
      queue.asyncAfter(deadline: .now() + confirmationDelay) { self.run { _ in } }
    }
  }

  /// Removes an entry.
  func remove(_ name: Name) { run { state in self.remove(name, &state) } }

  /// Removes the entries of a partition whose file names have the prefix.
  func removeAll(in partition: String, prefix: String) {
    run { state in
      for name in state.index.removeAll(where: { $0.partition == partition && $0.file.hasPrefix(prefix) }) {
        self.remove(name, &state)
      }
    }
  }

  /// Removes every other partition: at once for readers, from the disk in the background.
  func dropPartitions(except kept: Set<String>) {
    run { state in
      guard let root = state.root else { return }
      state.index.removeAll { !kept.contains($0.partition) }
      for name in state.partitions.keys where !kept.contains(name) { state.partitions[name] = nil }
      for file in root.files() where !kept.contains(file.name) && !file.name.hasPrefix(CacheFolder.removedPrefix) {
        if let gone = root.moveAway(file.name) { self.sweep(gone, of: root) } else { root.removeTree(file.name) }
      }
    }
  }

  /// Waits until all earlier operations are done, removals included.
  package func flush() async {
    await withCheckedContinuation { continuation in
      run { _ in self.sweeper.async { continuation.resume() } }
    }
  }

  /// The total size of the files, in bytes.
  func byteCount() async -> Int {
    await withCheckedContinuation { continuation in run { state in continuation.resume(returning: state.index.bytes) } }
  }

  // MARK: On the queue

  /// Runs an operation after all earlier ones; writes the pending confirmations first.
  private func run(_ body: @escaping @Sendable (inout State) -> Void) {
    confirmed.withLock { confirmed in
      let due = confirmed.entries
      confirmed = Confirmed()
      queue.async {
        self.state.withLock { state in
          self.open(&state)
          for (name, entry) in due { self.write(entry, to: name, &state) }
          body(&state)
        }
      }
    }
  }

  private func write(_ entry: CacheEntry, to name: Name, _ state: inout State) {
    let sealed = key.seal(CacheEntryCoding.encode(entry), associatedData: Self.associatedData(name))
    guard sealed.count <= limit, let folder = folder(name.partition, &state), folder.write(sealed, to: name.file, with: write)
    else { return remove(name, &state) }
    for name in state.index.insert(sealed.count, for: name, bytes: sealed.count) { remove(name, &state) }
  }

  /// Indexes existing files, oldest first, and removes unfinished ones.
  private func open(_ state: inout State) {
    guard !state.isOpened else { return }
    state.isOpened = true
    guard let root = CacheFolder.open(path: path) else { return }
    state.root = root
    var found: [(name: Name, file: CacheFolder.File)] = []
    for file in root.files() {
      if file.name.hasPrefix(CacheFolder.removedPrefix) {
        sweep(file.name, of: root)
        continue
      }
      guard file.isFolder, let folder = root.folder(file.name) else {
        root.removeTree(file.name)
        continue
      }
      state.partitions[file.name] = folder
      for entry in folder.files() {
        if entry.isFolder || entry.name.hasPrefix(CacheFolder.temporaryPrefix) {
          folder.removeTree(entry.name)
        } else {
          found.append((Name(partition: file.name, file: entry.name), entry))
        }
      }
    }
    found.sort { $0.file.usedAt < $1.file.usedAt }
    for (name, file) in found {
      for name in state.index.insert(file.byteCount, for: name, bytes: file.byteCount) { remove(name, &state) }
    }
  }

  private func folder(_ partition: String, _ state: inout State) -> CacheFolder? {
    if let folder = state.partitions[partition] { return folder }
    let folder = state.root?.folder(partition)
    state.partitions[partition] = folder
    return folder
  }

  private func read(_ name: Name, _ state: inout State) -> CacheEntry? {
    guard state.index.use(name) != nil, let folder = state.partitions[name.partition] else { return nil }
    if case .bytes(let sealed) = folder.read(name.file, atMost: limit),
      let bytes = try? key.open(sealed, associatedData: Self.associatedData(name)), let entry = CacheEntryCoding.decode(bytes)
    {
      return entry
    }
    remove(name, &state)
    return nil
  }

  private func remove(_ name: Name, _ state: inout State) {
    state.index.remove(name)
    state.partitions[name.partition]?.remove(name.file)
  }

  private func sweep(_ name: String, of root: CacheFolder) { sweeper.async { root.removeTree(name) } }

  /// The associated data of the encryption: a file that was moved or renamed does not decrypt.
  private static func associatedData(_ name: Name) -> [UInt8] {
    LengthPrefixed.bytes(["http cache 1", name.partition, name.file])
  }
}
