import Client
import Domain
import HTTPTypes

/// Measures signing a request with a body of 1 KB.
enum Signing {
  private static let rounds = 200
  private static let perRound = 500

  /// Signs a different body each time.
  static func measure() -> [Figure] {
    let clock = ServerClock(time: .system)
    guard let signer = RequestSigner(apiID: "bench", apiSecret: "signing-secret", clock: clock) else { return [] }
    var body = [UInt8](repeating: 0x61, count: 1024)
    var calls = 0
    var rounds: [Double] = []
    for _ in 0..<Self.rounds {
      let started = ContinuousClock.now
      for _ in 0..<perRound {
        var headers = HTTPFields()
        // Equal calls are rare.
        calls += 1
        for byte in 0..<4 { body[byte] = UInt8(truncatingIfNeeded: calls >> (8 * byte)) }
        signer.sign(&headers, method: .post, path: "/rpc/update_cue_stage", body: body)
      }
      rounds.append(Quantiles([ContinuousClock.now - started])(0) / Double(perRound))
    }
    let typical = median(rounds)
    return [
      Figure(work: "signing 1 KB", goal: "≤ 5 µs", measured: "\(Figure.number(typical, places: 2)) µs", isMet: typical <= 5)
    ]
  }
}
