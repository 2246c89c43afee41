import Dispatch
import HTTPTypes
import Locking
import Support
import Testing
import Vault

@testable import Client

/// Responses that the backend only confirmed reach the disk later, and in their order.
@Suite(.timeLimit(.minutes(1)))
struct DiskCacheConfirmationTests {
  private let folder: TemporaryFolder
  private let key = SealingKey.random()

  init() throws { folder = try TemporaryFolder() }

  private func cache(
    confirmationDelay: DispatchTimeInterval = .seconds(3600), write: @escaping CacheFolder.Write = CacheFolder.systemWrite
  ) -> DiskCache {
    DiskCache(path: folder.file("cache"), key: key, limit: 1 << 20, confirmationDelay: confirmationDelay, write: write)
  }

  private func name(_ file: String) -> DiskCache.Name { DiskCache.Name(partition: "p", file: file) }

  private func entry(_ text: String) -> CacheEntry {
    CacheEntry(
      headers: [.eTag: "\"1\""], body: Array(text.utf8), varied: [], times: CacheTimes(receivedWall: 1, delay: 0),
      allowsHeuristic: false)
  }

  @Test func manyConfirmationsAreOneWrite() async throws {
    let count = Locked(0)
    let cache = cache(write: { file, bytes in
      count.withLock { $0 += 1 }
      return CacheFolder.systemWrite(file, bytes)
    })
    cache.write(entry("first"), to: name("a"))
    for number in 1...100 { cache.confirm(entry("\(number)"), of: name("a")) }
    await cache.flush()
    #expect(count.withLock { $0 } == 2)
    #expect(await cache.read(name("a")) == entry("100"))
  }

  @Test func aConfirmationIsWrittenWithoutAnotherOperation() async throws {
    let (writes, sender) = AsyncStream.makeStream(of: Void.self)
    let cache = cache(
      confirmationDelay: .milliseconds(1),
      write: { file, bytes in
        defer { sender.yield() }
        return CacheFolder.systemWrite(file, bytes)
      })
    cache.confirm(entry("a"), of: name("a"))
    var written = writes.makeAsyncIterator()
    await written.next()
    #expect(await cache.read(name("a")) == entry("a"))
  }

  @Test func confirmationsKeepTheirOrderAmongOtherOperations() async throws {
    let cache = cache()
    cache.confirm(entry("1"), of: name("a"))
    cache.write(entry("2"), to: name("a"))
    #expect(await cache.read(name("a")) == entry("2"))
    cache.confirm(entry("3"), of: name("a"))
    #expect(await cache.read(name("a")) == entry("3"))
    cache.confirm(entry("4"), of: name("a"))
    cache.remove(name("a"))
    #expect(await cache.read(name("a")) == nil)
    cache.remove(name("a"))
    cache.confirm(entry("5"), of: name("a"))
    #expect(await cache.read(name("a")) == entry("5"))
    cache.confirm(entry("6"), of: name("a"))
    cache.dropPartitions(except: [])
    await cache.flush()
    #expect(CacheHarness.files(folder.file("cache")).isEmpty)
  }
}
