import Client
import Domain
import HTTPTypes
import JSON
import Observability
import Redaction
import RPC
import Support

/// A complete client on libcurl and a scripted TLS server in this process; its back-off takes no time, unless it is given.
struct LiveHarness {
  let server: ScriptedTLSServer
  let transport: RotatingTransport
  let log: NetworkLog
  let stack: ClientStack

  /// Creates a client that trusts `trust`, by default the server's own certificate, and requires one of `pins`, if there are
  /// any.
  init(
    _ identity: TLSIdentity? = nil, trust: String? = nil, pins: Set<SPKIPin> = [], backoff: Backoff = .none,
    script: @escaping @Sendable (ScriptedConnection) -> Void
  ) throws {
    let identity = try identity ?? TestCertificates.selfSigned()
    server = try ScriptedTLSServer(identity, script: script)
    var configuration = TransportConfiguration(
      trust: .pem(trust ?? identity.certificatePEM), pins: pins, proxy: .none, responseLimit: 100_000)
    // Connections are reused however slow the machine is.
    configuration.unsafeReuseAge = configuration.reuseAge
    transport = try RotatingTransport(configuration)
    let secrets = SecretRegistry(tagKey: [1])
    log = NetworkLog(capacity: 1000, bodyBytes: 1 << 20, registry: secrets) { _ in }
    stack = ClientStack(
      configuration: ClientConfiguration(
        origin: server.url, backendID: "live", deviceID: "device", apiID: "app", apiSecret: "signing-secret"),
      transport: transport.transport, tokens: MemoryTokenStore(), log: log, secrets: secrets, time: .system,
      logger: ClientHarness.silent, backoff: backoff)
  }

  /// Adopts tokens as after a login, without a call.
  func adoptTokens() async throws {
    let pair = TokenPair(
      accessToken: "access-1", refreshToken: "refresh-1", expiresIn: 900, expiresAt: nil,
      refreshExpiresIn: 1000, refreshExpiresAt: nil, sessionID: "s", profile: nil)
    try await stack.session.adopt(SessionTokens(pair, sentAt: .now, sentWall: Time.system.wall()))
  }

  /// Calls `/rpc/me` and returns the result.
  func me() async -> Result<MeBody, NetworkError> { await call(AccountEndpoints.Me()) }

  /// Makes a call without a body and returns the result.
  func call<E: APIEndpoint>(_ endpoint: E) async -> Result<E.ResponseBody, NetworkError> where E.RequestBody == NoBody {
    let api = stack.api
    return await ClientHarness.result { () throws(NetworkError) in try await api.send(endpoint) }
  }

  /// The response of `/rpc/me`.
  static let me = (try? JSONCoding.encode(ScriptedBackend.me)) ?? []

  /// Runs `body`, then shuts down both sides.
  func use(_ body: (LiveHarness) async throws -> Void) async throws {
    let result: Result<Void, any Error>
    do { result = .success(try await body(self)) } catch { result = .failure(error) }
    await stack.shutdown()
    await transport.shutdown()
    server.stop()
    try result.get()
  }
}
