import Foundation
import HTTPTypes
import JSON
import Logging
import RPC
import Reactor
import Server
import Storage
import Support
import Testing
import Vault

@testable import Backend

/// A backend with a system time that the test controls, called the way its HTTP server calls it.
struct BackendProbe: Sendable {
  static let device = "device-one"
  static let ana = "ana@example.com"

  let time: DrivenTime
  let backend: ReferenceBackend

  /// Creates a backend in memory, with the database file of an earlier one, or over a database that others share.
  init(
    time: DrivenTime = DrivenTime(), database: String? = nil, limits: LimitsMode = .off, registration: RegistrationMode = .open,
    apiID: String? = nil, apiSecret: String? = nil, audit: Logger? = nil, dialect: BackendDialect = .strict,
    recording: ReplayedRecording? = nil, shared: (storage: any StorageEngine, key: SealingKey)? = nil
  ) async throws {
    self.time = time
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    var configuration = ReferenceBackend.Configuration(
      database: database, linkBase: "http://localhost:8080", limits: limits, registration: registration, apiID: apiID,
      apiSecret: apiSecret, wall: { time.wall }, logger: logger, auditLogger: audit ?? logger)
    configuration.dialect = dialect
    configuration.recording = recording
    configuration.shared = shared
    backend = try await ReferenceBackend(configuration: configuration)
  }

  struct Reply: Sendable {
    let status: Int
    let fields: HTTPFields
    let body: [UInt8]

    var json: JSONNode { get throws { try JSONDocument(parsing: body).root } }
    /// The error code; nil if the call succeeded.
    var code: String? { (try? JSONDocument(parsing: body))?.root["error"]?["code"]?.string }
    func text(_ key: String) throws -> String {
      try #require(try json[key]?.string, "no \(key) in \(String(decoding: body, as: UTF8.self))")
    }
    var tokens: TokenPair { get throws { try JSONCoding.decode(TokenPair.self, from: body) } }

    init(_ response: Response) {
      status = response.status.code
      fields = response.headers
      if case .bytes(let bytes) = response.body { body = bytes } else { body = [] }
    }
  }

  func call(
    _ method: HTTPRequest.Method, _ path: String, body: [UInt8] = [], device: String? = device, token: String? = nil,
    type: String? = "application/json", fields extra: [(String, String)] = [], query: String? = nil,
    from address: String = "127.0.0.1"
  ) async throws -> Reply {
    var fields = HTTPFields()
    if let device { fields.append(HTTPField(name: .deviceID, value: device)) }
    if let token { fields.append(HTTPField(name: .authorization, value: "Bearer \(token)")) }
    if let type, !body.isEmpty { fields.append(HTTPField(name: .contentType, value: type)) }
    for (name, value) in extra { fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value)) }
    let peer = try #require(SocketAddress(host: address, port: 1))
    return Reply(
      await backend.respond(
        Request(method: method, path: path, query: query, headers: fields, body: RequestBody(body), peer: peer, isTLS: true)))
  }

  func post(
    _ path: String, _ json: String, device: String? = device, token: String? = nil, key: String? = nil
  ) async throws -> Reply {
    try await call(
      .post, path, body: Array(json.utf8), device: device, token: token, fields: key.map { [("Idempotency-Key", $0)] } ?? [])
  }

  func account(_ tokens: TokenPair, device: String? = device) async throws -> MeBody {
    try JSONCoding.decode(MeBody.self, from: try await me(tokens.accessToken, device: device).body)
  }

  /// Lists the cues of a profile, by default the active one.
  func cues(
    _ tokens: TokenPair, of profileID: String? = nil, since: String? = nil, fields: [(String, String)] = []
  ) async throws -> Reply {
    let profile = profileID ?? tokens.profile?.profileID ?? ""
    return try await call(
      .get, "/rpc/get_cues", token: tokens.accessToken, fields: fields,
      query: "profile_id=\(profile)" + (since.map { "&updated_since=\($0)" } ?? ""))
  }

  /// Requests a link or code and returns the message.
  func ask(_ identifier: String = ana, state: String? = nil, link: Bool = true) async throws -> InboxMessage {
    let before = await backend.inbox.messages(to: nil).last?.id
    let state = state.map { ",\"state\":\"\($0)\"" } ?? ""
    let path = link ? "/rpc/request_magic_link" : "/rpc/request_login_code"
    let reply = try await post(path, "{\"identifier\":\"\(identifier)\"\(link ? state : "")}")
    try #require(reply.status == 200, "\(String(decoding: reply.body, as: UTF8.self))")
    return try #require(await backend.inbox.messages(to: [identifier], after: before, wait: .seconds(20)).first)
  }

  func redeem(link: String, device: String? = device) async throws -> Reply {
    try await post("/rpc/login_with_magic_token", "{\"token\":\"\(link)\"}", device: device)
  }

  func redeem(code: String, of identifier: String = ana, device: String? = device) async throws -> Reply {
    try await post("/rpc/login_with_code", "{\"identifier\":\"\(identifier)\",\"code\":\"\(code)\"}", device: device)
  }

  func signIn(_ identifier: String = ana, device: String = device) async throws -> TokenPair {
    let reply = try await redeem(link: try await ask(identifier).token, device: device)
    return try reply.tokens
  }

  func refresh(_ token: String, device: String? = device, path: String = "/rpc/refresh_tokens") async throws -> Reply {
    try await post(path, "{\"refresh_token\":\"\(token)\"}", device: device)
  }

  func me(_ token: String?, device: String? = device, fields: [(String, String)] = []) async throws -> Reply {
    try await call(.get, "/rpc/me", device: device, token: token, fields: fields)
  }
}

extension InboxMessage {
  /// The token in the fragment of the link.
  var token: String {
    get throws {
      let link = try #require(link)
      let start = try #require(link.range(of: "#token="))
      return String(link[start.upperBound...].prefix { $0 != "&" })
    }
  }

  /// A code in the right format that is not the right one.
  var wrongCode: String { code == "000000" ? "000001" : "000000" }
}
