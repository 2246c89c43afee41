import Client
import Domain
import HTTPTypes
import Logging
import Observability
import RPC
import Vault

/// A device's whole client over a real transport, with its tokens in memory.
struct BenchmarkClient {
  let stack: ClientStack
  let curl: CurlTransport
  let log: NetworkLog
  let configuration: ClientConfiguration

  /// A client of `peer`; `wrap` may stand between the chain and the wire.
  init(peer: Peer, pins: Set<SPKIPin> = [], wrap: (Transport) -> Transport = { $0 }) throws {
    curl = try CurlTransport(TransportConfiguration(trust: .pem(peer.certificatePEM), pins: pins, proxy: .none))
    configuration = ClientConfiguration(
      origin: peer.origin, backendID: "bench", deviceID: "device", apiID: "bench", apiSecret: "signing-secret")
    let secrets = SecretRegistry(tagKey: SecureRandom.bytes(32))
    log = NetworkLog(capacity: 2_000, bodyBytes: 8 << 20, registry: secrets, backlog: 512) { _ in }
    stack = ClientStack(
      configuration: configuration, transport: wrap(curl.transport),
      tokens: MemoryTokenStore(), log: log, secrets: secrets, time: .system,
      logger: Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() })
  }

  /// Signs in with a code that the peer takes.
  func signIn() async throws {
    try await stack.auth.redeemCode(Identifier(normalizing: "bench@example.org"), "123456")
  }

  /// Ends the client and its connections.
  func stop() async {
    await stack.shutdown()
    await curl.shutdown()
  }
}
