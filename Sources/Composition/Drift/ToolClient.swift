import Client
import Console
import Domain
import Logging
import Observability
import Redaction
import Text
import Vault

/// The client of the console's own requests to the backend: signed like the app's, without a session, and with a log of its own, so
/// that its rows are in no device's log.
struct ToolClient: Sendable {
  /// Its rows, which `source:tool` shows.
  let log: NetworkLog
  private let client: ClientStack
  private let secrets: SecretRegistry

  /// How many rows are kept.
  private static let capacity = 100
  /// The memory for bodies, in bytes.
  private static let bodyBytes = 4 << 20

  /// `rules` mask the rows.
  init(
    backend: BackendLink, transport: Transport, signingKey: SigningKey?, rules: RedactionRules, logger: Logger
  ) {
    secrets = SecretRegistry(tagKey: SecureRandom.bytes(32), rules: rules)
    log = NetworkLog(capacity: Self.capacity, bodyBytes: Self.bodyBytes, registry: secrets) { _ in }
    var configuration = ClientConfiguration(
      origin: backend.origin, backendID: backend.id, deviceID: SecureRandom.uuid(), apiID: signingKey?.id,
      apiSecret: signingKey?.secret, userAgent: "understudy/\(Version.text)")
    configuration.backendFile = backend.file
    client = ClientStack(
      configuration: configuration, transport: transport, tokens: MemoryTokenStore(), log: log, secrets: secrets, time: .system,
      logger: logger)
  }

  /// Fetches a document of the backend, once; throws `OpenAPIFetch.Failure`.
  func document(path: String, query: String? = nil, limit: Int) async throws(OpenAPIFetch.Failure) -> [UInt8] {
    // A query can contain a key under any name.
    for (_, value) in QueryPairs.parse(query ?? "") ?? [] { secrets.register(value, kind: .key) }
    let response: TransportResponse
    do { response = try await client.api.fetchDocument(path: path, query: query, limit: limit) } catch { throw .failed(error) }
    guard response.status == 200 else { throw .status(response.status) }
    return response.body
  }
}
