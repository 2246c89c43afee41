import Client
import Domain
import FoundationEssentials
import Glibc
import HTTPTypes
import RPC
import Vault

/// Measures cache hits for a response of 4 KB in memory and on disk.
enum CacheHits {
  private static let rounds = 200
  private static let perRound = 500
  private static let reads = 2_000

  /// Looks up the same response repeatedly.
  static func measure() async throws -> [Figure] {
    let folder = "/tmp/understudy-bench-\(getpid())"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let disk = DiskCache(folder: folder, key: .random(), deviceID: "device", backendID: "bench")
    let configuration = ClientConfiguration(origin: "https://127.0.0.1:1", backendID: "bench", deviceID: "device")
    let cache = HTTPCache(configuration: configuration, disk: disk, time: .system)
    cache.sessionChanged(.loggedIn(epoch: 1, sessionID: "session"))
    let call = try Call(AccountEndpoints.Me(), body: NoBody(), now: .now)
    let fields: HTTPFields = [.accept: "application/json", .userAgent: "understudy"]
    guard let ticket = cache.ticket(for: call, fields: fields, needsSession: true) else { throw MeasureError("no session") }
    let times = CacheTimes(sentAt: .now, receivedAt: .now, receivedWall: Date().timeIntervalSince1970)
    let response = TransportResponse(
      status: 200, headers: [.contentType: "application/json", .cacheControl: "max-age=300", .eTag: "\"1\""],
      body: [UInt8](repeating: 0x61, count: 4096))
    guard let entry = CacheEntry(storing: response, request: fields, times: times, allowsHeuristic: false) else {
      throw MeasureError("not storable")
    }
    cache.store(entry, for: ticket)
    await cache.flush()
    let memory = try await inMemory(cache, call, fields)
    let file = Quantiles(try await onDisk(disk, ticket.file))(0.5)
    return [
      Figure(work: "memory cache hit", goal: "≤ 2 µs", measured: "\(Figure.number(memory, places: 2)) µs", isMet: memory <= 2),
      Figure(work: "disk cache hit, 4 KB", goal: "≤ 150 µs", measured: "\(Figure.number(file)) µs", isMet: file <= 150),
    ]
  }

  private static func inMemory(_ cache: HTTPCache, _ call: Call, _ fields: HTTPFields) async throws -> Double {
    var typical: [Double] = []
    for _ in 0..<rounds {
      let started = ContinuousClock.now
      for _ in 0..<perRound {
        guard let ticket = cache.ticket(for: call, fields: fields, needsSession: true),
          let entry = await cache.entry(for: ticket),
          entry.isFresh(at: cache.now)
        else { throw MeasureError("no hit in memory") }
      }
      typical.append(Quantiles([ContinuousClock.now - started])(0) / Double(perRound))
    }
    return median(typical)
  }

  private static func onDisk(_ disk: DiskCache, _ name: DiskCache.Name) async throws -> [Duration] {
    var taken: [Duration] = []
    for _ in 0..<reads {
      let started = ContinuousClock.now
      guard await disk.read(name) != nil else { throw MeasureError("no hit on the disk") }
      taken.append(ContinuousClock.now - started)
    }
    return taken
  }
}
