import Dispatch
import Domain
import Foundation
import HTTPTypes
import Support
import Locking
import Testing
import Vault

@testable import Client

/// Encrypted files within a size limit, complete or absent, that never make a call fail.
@Suite(.timeLimit(.minutes(1)))
struct DiskCacheTests {
  private let folder: TemporaryFolder
  private let key = SealingKey.random()

  init() throws { folder = try TemporaryFolder() }

  private func cache(
    limit: Int = 1 << 20, confirmationDelay: DispatchTimeInterval = .seconds(3600),
    write: @escaping CacheFolder.Write = CacheFolder.systemWrite
  ) -> DiskCache {
    DiskCache(path: folder.file("cache"), key: key, limit: limit, confirmationDelay: confirmationDelay, write: write)
  }

  private func name(_ file: String, in partition: String = "p") -> DiskCache.Name {
    DiskCache.Name(partition: partition, file: file)
  }

  private func entry(_ text: String, bytes: Int = 0) -> CacheEntry {
    CacheEntry(
      headers: [.eTag: "\"1\""], body: Array(text.utf8) + [UInt8](repeating: 7, count: bytes),
      varied: [VariedField(name: "accept", value: nil)], times: CacheTimes(receivedWall: 1, delay: 0), allowsHeuristic: false)
  }

  private func mode(_ path: String) throws -> Int? {
    (try FileManager.default.attributesOfItem(atPath: folder.file(path))[.posixPermissions] as? NSNumber)?.intValue
  }

  @Test func whatWasWrittenIsThereAfterARestart() async throws {
    let first = cache()
    first.write(entry("body"), to: name("a"))
    await first.flush()
    #expect(await cache().read(name("a")) == entry("body"))
    #expect(await cache().read(name("b")) == nil)
  }

  @Test func foldersAndFilesAreThisUsersAlone() async throws {
    let cache = cache()
    cache.write(entry("body"), to: name("a"))
    await cache.flush()
    #expect(try mode("cache") == 0o700)
    #expect(try mode("cache/p") == 0o700)
    #expect(try mode("cache/p/a") == 0o600)
  }

  @Test func openFolderIsClosedToOthers() async throws {
    try FileManager.default.createDirectory(
      atPath: folder.file("cache/p"), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    let cache = cache()
    cache.write(entry("body"), to: name("a"))
    await cache.flush()
    #expect(try mode("cache") == 0o700)
    #expect(try mode("cache/p") == 0o700)
  }

  @Test func nothingIsReadable() async throws {
    let cache = cache()
    cache.write(entry("someone@example.org"), to: name("a"))
    await cache.flush()
    let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.file("cache/p/a")))
    #expect(bytes.count > 100)
    #expect(bytes.range(of: Data("example".utf8)) == nil)
    #expect(bytes.range(of: Data("accept".utf8)) == nil)
  }

  @Test func bytesAreBoundedAndTheLongestUnusedGoes() async throws {
    let cache = cache(limit: 5000)
    for file in ["a", "b", "c", "d"] { cache.write(entry(file, bytes: 1000), to: name(file)) }
    #expect(await cache.read(name("a")) != nil)
    cache.write(entry("e", bytes: 1000), to: name("e"))
    #expect(await cache.byteCount() <= 5000)
    #expect(await cache.read(name("b")) == nil)
    #expect(await cache.read(name("a")) != nil)
    await cache.flush()
    let sizes = try CacheHarness.files(folder.file("cache")).map {
      try FileManager.default.attributesOfItem(atPath: folder.file("cache/\($0)"))[.size] as? Int ?? 0
    }
    #expect(sizes.reduce(0, +) == (await cache.byteCount()))
    #expect(sizes.reduce(0, +) <= 5000)
  }

  @Test func entryThatIsTooLargeIsNotKeptNorIsTheOneBefore() async throws {
    let cache = cache(limit: 2000)
    cache.write(entry("small"), to: name("a"))
    cache.write(entry("other"), to: name("b"))
    cache.write(entry("large", bytes: 3000), to: name("a"))
    #expect(await cache.read(name("a")) == nil)
    #expect(await cache.read(name("b")) != nil)
    #expect(CacheHarness.files(folder.file("cache")) == ["p/b"])
  }

  @Test func useIsRememberedOverARestart() async throws {
    let first = cache()
    for file in ["a", "b", "c"] { first.write(entry(file, bytes: 1000), to: name(file)) }
    await first.flush()
    for (file, seconds) in [("a", 100), ("b", 300), ("c", 200)] {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: Double(seconds))], ofItemAtPath: folder.file("cache/p/\(file)"))
    }
    #expect(await cache().read(name("a")) != nil)
    let third = cache(limit: 3000)
    third.write(entry("d", bytes: 500), to: name("d"))
    // `c` was least recently used: `a` was read since, as its file's time shows.
    #expect(await third.read(name("c")) == nil)
    for file in ["a", "b", "d"] { #expect(await third.read(name(file)) != nil) }
  }

  @Test(arguments: [0, 1, 50, 100])
  func fullDiskKeepsNothingAndBreaksNothing(room: Int) async throws {
    let rest = Locked<Int?>(nil)
    let cache = cache { descriptor, bytes in
      rest.withLock { rest in
        guard let room = rest else { return CacheFolder.systemWrite(descriptor, bytes) }
        guard room > 0 else {
          errno = ENOSPC
          return -1
        }
        let count = min(room, bytes.count)
        rest = room - count
        return CacheFolder.systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: bytes[..<count]))
      }
    }
    cache.write(entry("old"), to: name("a"))
    cache.write(entry("kept"), to: name("b"))
    await cache.flush()
    rest.withLock { $0 = room }
    cache.write(entry("new"), to: name("a"))
    // Neither part of the new entry nor the old one, which is outdated.
    #expect(await cache.read(name("a")) == nil)
    #expect(await cache.read(name("b"))?.body == Array("kept".utf8))
    #expect(CacheHarness.files(folder.file("cache")) == ["p/b"])
    rest.withLock { $0 = nil }
    cache.write(entry("again"), to: name("a"))
    #expect(await cache.read(name("a"))?.body == Array("again".utf8))
  }

  @Test func folderThatCannotBeMadeIsACacheThatHoldsNothing() async throws {
    try folder.write("a file", to: "cache")
    let cache = cache()
    cache.write(entry("body"), to: name("a"))
    #expect(await cache.read(name("a")) == nil)
    cache.dropPartitions(except: [])
    await cache.flush()
    #expect(try String(contentsOfFile: folder.file("cache"), encoding: .utf8) == "a file")
  }

  @Test func folderThatVanishesIsACacheThatHoldsNothing() async throws {
    let cache = cache()
    cache.write(entry("body"), to: name("a"))
    await cache.flush()
    try FileManager.default.removeItem(atPath: folder.file("cache"))
    #expect(await cache.read(name("a")) == nil)
    cache.write(entry("body"), to: name("a"))
    #expect(await cache.read(name("a")) == nil)
  }

  @Test func callSucceedsOnAFullDisk() async throws {
    let harness = try CacheHarness { _, _ in
      errno = ENOSPC
      return -1
    }
    try await harness.signIn()
    harness.serveMe()
    #expect(try await harness.me().get().source == .network)
    #expect(await harness.files() == [])
    // The memory still has it.
    harness.cut()
    #expect(try await harness.me().get().source == .cache)
  }

  @Test func unfinishedFilesOfAKilledProcessAreRemoved() async throws {
    let first = cache()
    first.write(entry("body"), to: name("a"))
    await first.flush()
    let whole = try Data(contentsOf: URL(fileURLWithPath: folder.file("cache/p/a")))
    try whole.prefix(40).write(to: URL(fileURLWithPath: folder.file("cache/p/\(CacheFolder.temporaryPrefix)1")))
    try FileManager.default.createDirectory(
      atPath: folder.file("cache/\(CacheFolder.removedPrefix)1"), withIntermediateDirectories: false)
    try folder.write("x", to: "cache/\(CacheFolder.removedPrefix)1/a")
    try folder.write("x", to: "cache/stray")
    let second = cache()
    #expect(await second.read(name("a")) == entry("body"))
    await second.flush()
    #expect(try FileManager.default.subpathsOfDirectory(atPath: folder.file("cache")).sorted() == ["p", "p/a"])
  }

  @Test func readerSeesAWholeFileOrNone() async throws {
    // What a kill between two writes leaves, another process sees as well: one version or the other.
    let writer = cache()
    let path = folder.file("cache")
    let name = name("a")
    let key = key
    writer.write(entry("0", bytes: 20_000), to: name)
    await writer.flush()
    let isDone = Locked(false)
    async let seen = OwnThread.run {
      var seen: Set<[UInt8]> = []
      let derived = SealingKey(bytes: key.derive("http cache")) ?? key
      while !isDone.withLock({ $0 }) {
        guard case .bytes(let sealed)? = CacheFolder.open(path: "\(path)/p")?.read("a", atMost: 1 << 20) else {
          seen.insert([])
          continue
        }
        let place = LengthPrefixed.bytes(["http cache 1", name.partition, name.file])
        seen.insert((try? derived.open(sealed, associatedData: place)).flatMap(CacheEntryCoding.decode)?.body ?? [0])
      }
      return seen
    }
    for number in 1...300 { writer.write(entry("\(number)", bytes: 20_000), to: name) }
    await writer.flush()
    isDone.withLock { $0 = true }
    let bodies = try await seen
    #expect(!bodies.isEmpty)
    #expect(bodies.allSatisfy { $0.count > 20_000 })
  }

  @Test func droppedPartitionIsGoneAtOnceAndFromTheDiskSoon() async throws {
    let cache = cache()
    for number in 0..<300 { cache.write(entry("\(number)"), to: name("f\(number)")) }
    cache.write(entry("public"), to: name("a", in: "kept"))
    cache.dropPartitions(except: ["kept"])
    #expect(await cache.read(name("f1")) == nil)
    #expect(await cache.read(name("a", in: "kept")) != nil)
    // The next session has the same id, but nothing of the previous one.
    cache.write(entry("next"), to: name("f1"))
    #expect(await cache.read(name("f1"))?.body == Array("next".utf8))
    await cache.flush()
    #expect(CacheHarness.files(folder.file("cache")) == ["kept/a", "p/f1"])
  }

  @Test func deviceIsErasedForEveryBackend() async throws {
    func cache(_ device: String, _ backend: String) -> DiskCache {
      DiskCache(folder: folder.file("cache"), key: key, deviceID: device, backendID: backend)
    }
    for (device, backend) in [("d", "b"), ("d", "b2"), ("d2", "b")] {
      let cache = cache(device, backend)
      cache.write(entry(device), to: name("a"))
      await cache.flush()
    }
    await DiskCache.erase(folder: folder.file("cache"), deviceID: "d")
    #expect(await cache("d", "b").read(name("a")) == nil)
    #expect(await cache("d", "b2").read(name("a")) == nil)
    #expect(await cache("d2", "b").read(name("a")) != nil)
    #expect(CacheHarness.files(folder.file("cache")).count == 1)
  }
}
