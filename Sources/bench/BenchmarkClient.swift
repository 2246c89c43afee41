import Client
import Domain
import Logging
import Observability
import Redaction
import Vault

/// The complete client of a device with a real transport and an in-memory token store.
struct BenchmarkClient {
  let stack: ClientStack
  let curl: CurlTransport
  let log: NetworkLog
  let configuration: ClientConfiguration

  /// Creates a client of `server`; `wrap` can intercept the transport, and `comparer` gets every exchange.
  init(
    server: BenchmarkServer, pins: Set<SPKIPin> = [], comparer: ExchangeComparer? = nil, wrap: (Transport) -> Transport = { $0 }
  ) throws {
    curl = try CurlTransport(TransportConfiguration(trust: .pem(server.certificatePEM), pins: pins, proxy: .none))
    configuration = ClientConfiguration(
      origin: server.origin, backendID: "bench", deviceID: "device", apiID: "bench", apiSecret: "signing-secret")
    let secrets = SecretRegistry(tagKey: SecureRandom.bytes(32))
    log = NetworkLog(capacity: 2_000, bodyBytes: 8 << 20, registry: secrets, backlog: 512, comparer: comparer) { _ in }
    stack = ClientStack(
      configuration: configuration, transport: wrap(curl.transport),
      tokens: MemoryTokenStore(), log: log, secrets: secrets, time: .system,
      logger: Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() })
  }

  /// Signs in with a code that the server accepts.
  func signIn() async throws {
    try await stack.auth.redeemCode(Identifier(normalizing: "bench@example.org"), "123456", [:])
  }

  /// Shuts the client down and closes its connections.
  func stop() async {
    await stack.shutdown()
    await curl.shutdown()
  }
}
