import Client
import Domain
import HTTPTypes
import JSON
import Observability
import RPC
import Support

/// A whole client over libcurl and a scripted TLS server of this process; its back-off takes no time.
struct LiveHarness {
  let server: ScriptedTLSServer
  let transport: RotatingTransport
  let log: NetworkLog
  let stack: ClientStack

  /// A client that trusts `trust`, by default the server's own certificate, and wants one of `pins`, where there are any.
  init(
    _ identity: TLSIdentity? = nil, trust: String? = nil, pins: Set<SPKIPin> = [],
    script: @escaping @Sendable (ScriptedConnection) -> Void
  ) throws {
    let identity = try identity ?? TestCertificates.selfSigned()
    server = try ScriptedTLSServer(identity, script: script)
    var configuration = TransportConfiguration(
      trust: .pem(trust ?? identity.certificatePEM), pins: pins, proxy: .none, responseLimit: 100_000)
    // However slow the machine is, a connection is used again.
    configuration.unsafeReuseAge = configuration.reuseAge
    transport = try RotatingTransport(configuration)
    let secrets = SecretRegistry(tagKey: [1])
    log = NetworkLog(capacity: 1000, bodyBytes: 1 << 20, registry: secrets) { _ in }
    stack = ClientStack(
      configuration: ClientConfiguration(
        origin: server.url, backendID: "live", deviceID: "device", apiID: "app", apiSecret: "signing-secret"),
      transport: transport.transport, tokens: MemoryTokenStore(), log: log, secrets: secrets, time: .system,
      logger: ClientHarness.silent, random: { 0 })
  }

  /// Holds tokens as after a login, without asking the server.
  func adoptTokens() async throws {
    let pair = TokenPair(
      accessToken: "access-1", refreshToken: "refresh-1", expiresIn: 900, expiresAt: Timestamp(milliseconds: 0),
      refreshExpiresIn: 1000, refreshExpiresAt: Timestamp(milliseconds: 0), sessionID: "s", profile: nil)
    try await stack.session.adopt(SessionTokens(pair, sentAt: .now, sentWall: Time.system.wall()))
  }

  /// Calls `/rpc/me` and tells how it ended.
  func me() async -> Result<MeBody, NetworkError> { await call(AccountEndpoints.Me()) }

  /// Makes a call without a body and tells how it ended.
  func call<E: APIEndpoint>(_ endpoint: E) async -> Result<E.ResponseBody, NetworkError> where E.RequestBody == NoBody {
    let api = stack.api
    return await ClientHarness.result { () throws(NetworkError) in try await api.send(endpoint) }
  }

  /// What the account call answers.
  static let me = (try? JSONCoding.encode(ScriptedBackend.me)) ?? []

  /// Runs `body` and ends both sides, whatever happens in it.
  func use(_ body: (LiveHarness) async throws -> Void) async throws {
    let result: Result<Void, any Error>
    do { result = .success(try await body(self)) } catch { result = .failure(error) }
    await stack.shutdown()
    await transport.shutdown()
    server.stop()
    try result.get()
  }
}
