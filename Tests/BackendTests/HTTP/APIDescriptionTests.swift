import HTTPTypes
import JSON
import OpenAPI
import RPC
import Server
import Support
import Testing

@testable import Backend

@Suite(.timeLimit(.minutes(1))) struct APIDescriptionTests {
  private func document(_ probe: BackendProbe) async throws -> JSONNode {
    let reply = try await probe.call(.get, "/swagger.json", device: nil)
    try #require(reply.status == 200 && reply.fields[.contentType] == "application/json")
    return try reply.json
  }

  private static func name(_ method: HTTPRequest.Method, _ path: String) -> String { "\(method.rawValue.lowercased()) \(path)" }

  @Test func routesPathsAndEndpointsMatch() async throws {
    let probe = try await BackendProbe()
    let document = try await document(probe)
    let described = Set(
      (document["paths"]?.members ?? []).flatMap { path, methods in methods.members.map { "\($0.key) \(path)" } })
    let table = BackendRoute.table(probe.backend.services).filter { $0.path != BackendRoute.descriptionPath }
    #expect(described == Set(table.map { Self.name($0.method, $0.path) }))
    #expect(described == Set(EndpointCatalogue.all.map { endpoint in Self.name(endpoint.method, endpoint.path) }))
    for endpoint in EndpointCatalogue.all {
      let path = endpoint.path
      let method = endpoint.method.rawValue.lowercased()
      let needsSession = endpoint.requiresAuth
      let operation = try #require(document["paths"]?[path]?[method])
      #expect((operation["security"] != nil) == needsSession, "\(path)")
    }
  }

  /// Authentication, idempotency key, query and body of each operation match its endpoint.
  @Test func everyOperationMatchesItsEndpoint() async throws {
    let document = try await document(try await BackendProbe())
    let schemas = JSONSchemaCheck(document: document)
    for endpoint in EndpointCatalogue.all {
      let path = endpoint.path
      let method = endpoint.method.rawValue.lowercased()
      let isKeyed = endpoint.idempotencyKey == .perCall
      let needsSession = endpoint.requiresAuth
      let isSafe = endpoint.isSafe
      let operation = try #require(document["paths"]?[path]?[method])
      #expect(document["paths"]?[path]?.members.count == 1, "\(path) has another method")
      let parameters = try (operation["parameters"]?.elements ?? []).map { parameter in
        guard let reference = parameter["$ref"] else { return parameter }
        return try #require(schemas.resolve(reference))
      }
      func names(in place: String) -> Set<String> {
        Set(parameters.filter { $0["in"]?.string == place }.compactMap { $0["name"]?.string })
      }
      // Every call that changes data of a signed-in user accepts a key; the client sends none with a logout, which it never retries.
      let takesKey = names(in: "header").contains(HTTPField.Name.idempotencyKey.rawName)
      #expect(takesKey == (needsSession && !isSafe), "\(path)")
      #expect(isKeyed == (takesKey && path != AuthEndpoints.Logout.path), "\(path)")
      #expect(!needsSession || names(in: "header").contains(HTTPField.Name.deviceID.rawName), "\(path)")
      #expect(names(in: "query") == Self.queries[path] ?? [], "\(path)")
      #expect((operation["requestBody"] != nil) == !isSafe, "\(path)")
    }
    #expect(
      Set(CueEndpoints.GetCues(profileID: "p", updatedSince: Timestamp(milliseconds: 0)).query.map(\.name))
        == Self.queries["/rpc/get_cues"])
  }

  private static let queries: [String: Set<String>] = ["/rpc/get_cues": ["profile_id", "updated_since"]]

  @Test func everyReferenceResolvesAndEveryComponentIsUsed() async throws {
    let document = try await document(try await BackendProbe())
    let schemas = JSONSchemaCheck(document: document)
    var used: Set<String> = []
    func walk(_ node: JSONNode) {
      for (key, value) in node.members {
        if key == "$ref" {
          #expect(schemas.resolve(value) != nil, "\(value.sourceText)")
          used.insert(value.string ?? "")
        }
        walk(value)
      }
      for element in node.elements { walk(element) }
    }
    walk(document)
    for kind in ["schemas", "responses", "parameters"] {
      for (name, _) in document["components"]?[kind]?.members ?? [] {
        #expect(used.contains("#/components/\(kind)/\(name)"), "\(name)")
      }
    }
  }

  @Test func itHasNoFaults() async throws {
    let document = APIDocument(describing: BackendRoute.table(try await BackendProbe().backend.services))
    #expect(document.faults == [])
  }

  @Test func itNeedsNoSignature() async throws {
    let probe = try await BackendProbe(apiID: "id", apiSecret: "secret")
    _ = try await document(probe)
    #expect(try await probe.call(.get, "/rpc/app_config").code == "invalid_signature")
  }

  /// Answers of every call, errors included, are valid against their schemas.
  @Test func everyAnswerIsAsDescribed() async throws {
    let probe = try await BackendProbe(limits: .relaxed)
    let document = try await document(probe)
    let schemas = JSONSchemaCheck(document: document)
    var seen: Set<String> = []
    func check(_ path: String, _ reply: BackendProbe.Reply, method: String = "post") throws {
      let operation = try #require(document["paths"]?[path]?[method])
      var answer = try #require(operation["responses"]?["\(reply.status)"], "\(path) does not say \(reply.status)")
      if let reference = answer["$ref"] { answer = try #require(schemas.resolve(reference)) }
      seen.insert("\(path) \(reply.status)")
      for (name, _) in answer["headers"]?.members ?? [] {
        #expect(reply.fields[try #require(HTTPField.Name(name))] != nil, "\(path) \(reply.status): \(name)")
      }
      guard let schema = answer["content"]?["application/json"]?["schema"] else { return #expect(reply.body.isEmpty) }
      let faults = schemas.faults(of: try reply.json, against: schema)
      #expect(faults.isEmpty, "\(path) \(reply.status): \(faults)")
    }

    let ask = "{\"identifier\":\"long-name@example.com\"}"
    try check("/rpc/request_magic_link", try await probe.post("/rpc/request_magic_link", ask))
    try check("/rpc/request_magic_link", try await probe.post("/rpc/request_magic_link", ask))
    try check("/rpc/request_login_code", try await probe.post("/rpc/request_login_code", "{\"identifier\":\"+491711234567\"}"))
    try check("/rpc/request_login_code", try await probe.post("/rpc/request_login_code", "{\"identifier\":\"x\"}"))
    let message = try #require(await probe.backend.inbox.messages(to: ["long-name@example.com"], wait: .seconds(10)).first)
    try check("/rpc/login_with_code", try await probe.redeem(code: message.wrongCode, of: "long-name@example.com"))
    let login = try await probe.redeem(code: try #require(message.code), of: "long-name@example.com")
    try check("/rpc/login_with_code", login)
    try check("/rpc/login_with_magic_token", try await probe.redeem(link: message.token))
    let second = try await probe.signIn("deleting@example.com")
    for tokens in [try login.tokens, second] {
      try check("/rpc/me", try await probe.me(tokens.accessToken), method: "get")
      try check("/rpc/get_cues", try await probe.cues(tokens), method: "get")
    }
    try check("/rpc/me", try await probe.me(nil), method: "get")
    try check("/rpc/app_config", try await probe.call(.get, "/rpc/app_config"), method: "get")
    for path in ["/rpc/refresh_tokens", "/app/api/refresh-token"] { try check(path, try await probe.refresh("x", path: path)) }
    var tokens = try await probe.refresh(second.refreshToken).tokens
    try check("/rpc/refresh_tokens", try await probe.refresh(tokens.refreshToken))
    tokens = try await probe.signIn("many-profiles@example.com")
    let renewed = try await probe.refresh(tokens.refreshToken, path: "/app/api/refresh-token")
    try check("/app/api/refresh-token", renewed)
    tokens = try renewed.tokens
    tokens = try await probe.signIn("new@example.com")
    let account = try await probe.account(tokens).accountID
    let token = tokens.accessToken
    func post(_ path: String, _ body: String) async throws { try check(path, try await probe.post(path, body, token: token)) }
    for language in ["de", "de", "xx"] {
      try await post("/rpc/get_or_create_account_profile", "{\"account_id\":\"\(account)\",\"language_code\":\"\(language)\"}")
      try await post("/rpc/set_active_profile", "{\"account_id\":\"\(account)\",\"language_code\":\"\(language)\"}")
    }
    let cue = try #require(try JSONCoding.decode(CueListBody.self, from: try await probe.cues(tokens).body).cues.first)
    for id in [cue.cueID, cue.cueID, "x"] {
      try await post(
        "/rpc/update_cue_stage",
        "{\"cue_id\":\"\(id)\",\"stage\":\"review\",\"base_updated_at\":\"\(cue.updatedAt.instant.text)\"}")
    }
    for id in [cue.profileID, "x"] { try await post("/rpc/shuffle_cues", "{\"profile_id\":\"\(id)\"}") }
    for callee in ["x", ""] { try await post("/app/api/call/start", "{\"callee\":\"\(callee)\"}") }
    try await post("/rpc/request_account_deletion", "{}")
    try await post("/app/api/logout", "{}")
    try await post("/app/api/logout", "{}")
    for endpoint in EndpointCatalogue.all {
      let path = endpoint.path
      #expect(
        seen.contains { $0.hasPrefix("\(path) 2") } || path == "/rpc/login_with_magic_token", "\(path) was not seen to succeed")
    }
    try check("/rpc/login_with_magic_token", try await probe.redeem(link: try await probe.ask("+491711234568").token))
  }
}
