import Client
import Observability
import RPC
import Synchronization
import Wire

/// A million calls of which one in a hundred meets a fault: what the process holds before and after.
enum ManyCalls {
  private static let parallel = 32

  /// Runs `count` calls after a warm-up of a tenth.
  static func measure(count: Int) async throws -> [Figure] {
    let backend = try TokenPeer()
    let random = Mutex(SeededRandom(seed: 7))
    let faults = Mutex(0)
    let unavailable = Peer.json(Array(#"{"error":{"code":"unavailable","message":""}}"#.utf8), status: "503 Unavailable")
    let peer = try Peer { head, body in
      let dice = head.path == AccountEndpoints.Me.path ? random.withLock { $0.next() % 300 } : 300
      guard dice < 3 else { return backend.respond(head, body) }
      faults.withLock { $0 += 1 }
      switch dice {
      case 0: return .drop
      case 1: return .answer(unavailable)
      default: return .answer(Peer.json(Array("{\"garbage\":".utf8)))
      }
    }
    let device = try StandIn(peer: peer)
    try await device.signIn()
    _ = await run(device, count / 10)
    device.log.settle()
    let before = ProcessFacts.now()
    let started = ContinuousClock.now
    let good = await run(device, count)
    device.log.settle()
    let took = Quantiles([ContinuousClock.now - started])(0) / 1e6
    let after = ProcessFacts.now()
    await device.stop()
    await peer.stop()
    let grown = after.residentKiB - before.residentKiB
    return [
      Figure(
        work: "\(count) calls, \(faults.withLock { $0 }) faults", goal: "memory within 2 MB, descriptors and threads constant",
        measured: "\(grown) KiB, descriptors \(before.descriptors) → \(after.descriptors), threads \(before.threads) → "
          + "\(after.threads), \(good) good, \(Figure.number(took, places: 0)) s",
        holds: grown <= 2_048 && after.descriptors <= before.descriptors + parallel && after.threads == before.threads)
    ]
  }

  private static func run(_ device: StandIn, _ count: Int) async -> Int {
    await withTaskGroup(of: Int.self) { group in
      for _ in 0..<parallel {
        group.addTask {
          var good = 0
          for _ in 0..<(count / parallel) where (try? await device.stack.api.send(AccountEndpoints.Me())) != nil { good += 1 }
          return good
        }
      }
      return await group.reduce(0, +)
    }
  }
}
