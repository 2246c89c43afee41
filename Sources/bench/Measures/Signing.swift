import Client
import Domain
import HTTPTypes

/// What signing a body of 1 KB costs.
enum Signing {
  private static let rounds = 200
  private static let perRound = 500

  /// Signs anew each time, as every attempt does.
  static func measure() -> [Figure] {
    let clock = ServerClock(time: .system)
    guard let signer = RequestSigner(apiID: "bench", apiSecret: "signing-secret", clock: clock) else { return [] }
    let body = [UInt8](repeating: 0x61, count: 1024)
    var rounds: [Double] = []
    for _ in 0..<Self.rounds {
      let started = ContinuousClock.now
      for _ in 0..<perRound {
        var headers = HTTPFields()
        signer.sign(&headers, method: .post, path: "/rpc/update_cue_stage", body: body)
      }
      rounds.append(Quantiles([ContinuousClock.now - started])(0) / Double(perRound))
    }
    let typical = median(rounds)
    return [
      Figure(work: "signing 1 KB", goal: "≤ 3 µs", measured: "\(Figure.number(typical, places: 2)) µs", holds: typical <= 3)
    ]
  }
}
