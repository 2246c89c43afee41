import Client
import Observability
import RPC
import Locking
import Wire

/// Compares the resources of the process before and after a million calls, of which one percent fail.
enum ManyCalls {
  private static let parallel = 32
  private static let parts = 10

  /// Runs `count` calls after a warm-up of a tenth of them.
  static func measure(count: Int) async throws -> [Figure] {
    let backend = try BenchmarkBackend()
    let random = Locked(SeededRandom(seed: 7))
    let faults = Locked(0)
    let unavailable = BenchmarkServer.json(
      Array(#"{"error":{"code":"unavailable","message":""}}"#.utf8), status: "503 Unavailable")
    let server = try BenchmarkServer { head, body in
      let dice = head.path == AccountEndpoints.Me.path ? random.withLock { $0.next() % 300 } : 300
      guard dice < 3 else { return backend.respond(head, body) }
      faults.withLock { $0 += 1 }
      switch dice {
      case 0: return .drop
      case 1: return .respond(unavailable)
      default: return .respond(BenchmarkServer.json(Array("{\"garbage\":".utf8)))
      }
    }
    let device = try BenchmarkClient(server: server)
    try await device.signIn()
    _ = await run(device, count / 10)
    device.log.flush()
    var facts = [ProcessFacts.now()]
    let started = ContinuousClock.now
    var good = 0
    for _ in 0..<parts {
      good += await run(device, count / parts)
      device.log.flush()
      facts.append(ProcessFacts.now())
    }
    let took = Quantiles([ContinuousClock.now - started])(0) / 1e6
    await device.stop()
    await server.stop()
    return [
      figure(
        "\(count) calls, \(faults.withLock { $0 }) faults, \(good) good, \(Figure.number(took, places: 0)) s", facts)
    ]
  }

  /// Evaluates the facts after the warm-up and after each half. The number of idle threads of the pool varies, so the number of
  /// threads counts as constant if the second half needs no more than the first.
  private static func figure(_ work: String, _ facts: [ProcessFacts]) -> Figure {
    let grown = facts[parts].residentKiB - facts[0].residentKiB
    let late = facts[parts].residentKiB - facts[parts / 2].residentKiB
    let first = facts[...(parts / 2)]
    let second = facts[(parts / 2 + 1)...]
    func most(_ part: ArraySlice<ProcessFacts>, _ fact: (ProcessFacts) -> Int) -> Int { part.map(fact).max() ?? 0 }
    let descriptors = (most(first, \.descriptors), most(second, \.descriptors))
    let threads = (most(first, \.threads), most(second, \.threads))
    return Figure(
      work: work, goal: "memory within 2 MB, descriptors and threads constant",
      measured: "\(grown) KiB, of it \(late) in the second half, descriptors at most \(descriptors.0) → \(descriptors.1), "
        + "threads \(threads.0) → \(threads.1)",
      isMet: grown <= 2_048 && descriptors.1 <= descriptors.0 && threads.1 <= threads.0)
  }

  private static func run(_ device: BenchmarkClient, _ count: Int) async -> Int {
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
