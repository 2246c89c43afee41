import Client
import HTTPTypes
import RPC
import Locking
import Vault
import Wire

/// Counts POSTs that reach the server twice when it drops connections at random after it received a request.
enum DroppedResponses {
  static let calls = 10_000
  private static let parallel = 16

  /// Counts duplicates of the client's transport and of plain libcurl.
  static func measure() async throws -> [Figure] {
    let own = try await run(isReplayable: false)
    let bare = try await run(isReplayable: true)
    return [
      Figure(
        work: "duplicate POSTs over 10,000, connections dropped at random", goal: "0; bare libcurl more than 0",
        measured: "\(own.duplicates) (\(own.lost) lost and told); bare libcurl \(bare.duplicates)",
        isMet: own.duplicates == 0 && own.lost > 0 && bare.duplicates > 0)
    ]
  }

  private static func run(isReplayable: Bool) async throws -> (duplicates: Int, lost: Int) {
    let seen = Locked<[String: Int]>([:])
    let random = Locked(SeededRandom(seed: 42))
    let server = try BenchmarkServer { head, _ in
      seen.withLock { $0[head.fields[.requestID] ?? "", default: 0] += 1 }
      let isDropped = random.withLock { $0.next() % 20 == 0 }
      return isDropped ? .drop : .respond(BenchmarkServer.json(Array("{}".utf8)))
    }
    let curl = try CurlTransport(TransportConfiguration(trust: .pem(server.certificatePEM), proxy: .none))
    let lost = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<parallel {
        group.addTask {
          var lost = 0
          for _ in 0..<(calls / parallel) {
            var request = TransportRequest(
              method: .post, url: server.origin + "/rpc/plain", body: Array("{}".utf8), isReplayable: isReplayable)
            request.headers[.requestID] = SecureRandom.uuid()
            do throws(TransportError) { _ = try await curl.send(request) } catch { lost += 1 }
          }
          return lost
        }
      }
      return await group.reduce(0, +)
    }
    await curl.shutdown()
    await server.stop()
    return (seen.withLock { $0.values.reduce(0) { $0 + $1 - 1 } }, lost)
  }
}
