import Dispatch
import Locking
package import Vault

/// The stored responses of one device and backend as sealed files: one folder a partition, one file a response, within a number of bytes.
///
/// What is asked of it happens in the order in which it was asked, on a queue of its own, so that no event loop waits for a
/// file. No failure leaves it: a disk that is full or gone is a cache that holds nothing.
package final class DiskCache: Sendable {
  /// Where a file lies.
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

  /// How many bytes are kept unless somebody says otherwise: 16 MiB.
  package static let standardLimit = 16 << 20

  private let path: String
  private let key: SealingKey
  private let limit: Int
  private let write: CacheFolder.Write
  private let queue = DispatchQueue(label: "http cache")
  /// Where removed folders are emptied, which nobody waits for.
  private let sweeper = DispatchQueue(label: "http cache sweeper", qos: .background)
  /// Touched on `queue` alone, so nobody ever waits for the lock.
  private let state: Locked<State>

  /// The cache of a device and backend below a folder that all devices share; nothing is read or made before it is used.
  package convenience init(
    folder: String, key: SealingKey, deviceID: String, backendID: String, limit: Int = DiskCache.standardLimit
  ) {
    self.init(
      path: "\(Self.deviceFolder(folder, deviceID))/\(LengthPrefixed.name(["backend", backendID]))", key: key, limit: limit)
  }

  /// The cache in a folder of its own; `write` stands for the system's call.
  init(path: String, key: SealingKey, limit: Int, write: @escaping CacheFolder.Write = CacheFolder.systemWrite) {
    self.path = path
    // Tokens and stored answers never share a key; both derive from the device's one.
    self.key = SealingKey(bytes: key.derive("http cache")) ?? key
    self.limit = limit
    self.write = write
    state = Locked(State(index: LRUCache(limit: limit)))
  }

  /// Removes everything of a device, for every backend; returns when it is gone.
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

  /// The entry of a name; what does not open is removed and counts as missing.
  package func read(_ name: Name) async -> CacheEntry? {
    await withCheckedContinuation { continuation in
      run { state in continuation.resume(returning: self.read(name, &state)) }
    }
  }

  /// Keeps an entry in place of the one before; where that fails, neither is kept.
  func write(_ entry: CacheEntry, to name: Name) {
    run { state in
      let sealed = self.key.seal(CacheEntryCoding.encode(entry), associatedData: Self.associatedData(name))
      guard sealed.count <= self.limit, let folder = self.folder(name.partition, &state),
        folder.write(sealed, to: name.file, with: self.write)
      else {
        self.remove(name, &state)
        return
      }
      for name in state.index.insert(sealed.count, for: name, bytes: sealed.count) { self.remove(name, &state) }
    }
  }

  /// Removes an entry.
  func remove(_ name: Name) { run { state in self.remove(name, &state) } }

  /// Removes the entries of a partition whose files' names begin so.
  func removeAll(in partition: String, prefix: String) {
    run { state in
      for name in state.index.removeAll(where: { $0.partition == partition && $0.file.hasPrefix(prefix) }) {
        self.remove(name, &state)
      }
    }
  }

  /// Drops every partition but those named: at once for whoever looks, from the disk in the background.
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

  /// Waits until everything that was asked before is done, removals included.
  package func flush() async {
    await withCheckedContinuation { continuation in
      run { _ in self.sweeper.async { continuation.resume() } }
    }
  }

  /// The bytes of the files that are kept.
  func byteCount() async -> Int {
    await withCheckedContinuation { continuation in run { state in continuation.resume(returning: state.index.bytes) } }
  }

  // MARK: On the queue

  private func run(_ body: @escaping @Sendable (inout State) -> Void) {
    queue.async {
      self.state.withLock { state in
        self.open(&state)
        body(&state)
      }
    }
  }

  /// Lists what is there from before, the oldest first, and removes what was left temporaryPrefix.
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

  /// What a seal is bound to: a file that was moved or renamed does not open.
  private static func associatedData(_ name: Name) -> [UInt8] {
    LengthPrefixed.bytes(["http cache 1", name.partition, name.file])
  }
}
