import BackendFile
import Client
import Foundation
import HTTPTypes
import JSON
import RPC
import Support
import Locking
import Testing

/// Rows sent again and requests written by a person, through the whole client to a scripted backend.
@Suite(.timeLimit(.minutes(2))) struct ReplayRoutesTests {
  /// The row when it has ended.
  private func row(_ harness: ConsoleHarness, _ caller: ConsoleHarness.Caller, _ id: String?) async -> JSONNode? {
    guard let id else { return nil }
    var detail: JSONNode?
    await eventually {
      detail = await harness.call(.get, "/api/network/\(id)", as: caller).json
      return detail?["state"].map { $0.string != "pending" && $0.string != "waiting" } ?? false
    }
    return detail
  }

  /// The newest row of an endpoint.
  private func newest(_ harness: ConsoleHarness, _ caller: ConsoleHarness.Caller, _ endpoint: String) async -> String {
    let rows = await harness.call(.get, "/api/network?endpoint=\(endpoint)", as: caller).json?["events"]?.elements ?? []
    return rows.last?["id"]?.string ?? "none"
  }

  private func compose(
    _ harness: ConsoleHarness, _ caller: ConsoleHarness.Caller, _ members: String
  ) async -> ConsoleHarness.Answer { await harness.call(.post, "/api/network/requests", "{\(members)}", as: caller) }

  @Test func aRowIsSentAgainWithTheCurrentSession() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    _ = await harness.call(.get, "/api/account", as: caller)
    let original = await newest(harness, caller, "me")
    let before = harness.backend.requests(AccountEndpoints.Me.path).count
    let answer = await harness.call(.post, "/api/network/\(original)/replay", "{}", as: caller)
    #expect(answer.status == 202)
    let sent = try #require(await row(harness, caller, answer.json?["id"]?.string))
    #expect(sent["source"]?.string == "replay" && sent["parent_id"]?.string == original && sent["status"]?.int64 == 200)
    #expect(sent["endpoint"]?.string == "me" && sent["flow"]?.string == "replay" && sent["state"]?.string == "success")
    let requests = harness.backend.requests(AccountEndpoints.Me.path)
    #expect(requests.count == before + 1)
    #expect(requests.last?.headers[.authorization] == "Bearer access")
  }

  @Test func masksAreRefilledOnlyInTheRequest() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    _ = await harness.call(.get, "/api/account", as: caller)
    let sent = await compose(
      harness, caller,
      #""method":"POST","path":"/rpc/update_cue_stage","auth":true,"confirm":true,"body":{"mail":"dana@example.com","n":1.50}"#)
    let first = try #require(await row(harness, caller, sent.json?["id"]?.string))
    let body = try #require(first["request"]?["body"]?.string)
    #expect(body.contains("‹email:") || body.contains("‹identifier:"))
    let again = await harness.call(
      .post, "/api/network/\(first["id"]?.string ?? "")/replay", #"{"confirm":true}"#, as: caller)
    #expect(again.status == 202)
    let second = try #require(await row(harness, caller, again.json?["id"]?.string))
    #expect(second["request"]?["body"]?.string == body, "masked again")
    let wire = harness.backend.requests("/rpc/update_cue_stage").map { String(decoding: $0.body ?? [], as: UTF8.self) }
    #expect(wire == [#"{"mail":"dana@example.com","n":1.50}"#, #"{"mail":"dana@example.com","n":1.50}"#], "numbers as written")
    let keys = harness.backend.requests("/rpc/update_cue_stage").compactMap {
      $0.headers[HTTPField.Name("Idempotency-Key") ?? .accept]
    }
    #expect(Set(keys).count == 2, "another call is another key")
  }

  /// A row of a backend file's call shows masks in the places of credentials, and Basic ones not at all.
  @Test func aDescribedFormIsSentAgainAsAFormWithTheSessionsOwnSecrets() async throws {
    let text = """
      understudy: 1
      calls:
        login_with_password:
          request: POST /login
          json: {u: "{identifier}", p: "{password}"}
        me:
          request: POST /introspect
          basic: phone:${CLIENT_SECRET}
          form: {token: "{access_token}", hint: an access token}
        set_active_profile:
          request: POST /language
          form: {language: "{language_code}", token: "{access_token}"}
        get_or_create_account_profile: POST /language/new
      """
    let definition = try BackendDefinition(parsing: Array(text.utf8), file: "x.yaml")
    let harness = try await ConsoleHarness(
      file: ActiveBackendFile(ActiveBackendFile.Content(definition: definition, secrets: ["CLIENT_SECRET": "hush hush"])))
    let tokens = Locked(["access+one&1", "access+two&2"])
    harness.backend.on("/login") { _ in
      let token = tokens.withLock { $0.removeFirst() }
      return TransportResponse(
        status: 200, headers: [.contentType: "application/json"], body: Array("{\"access_token\":\"\(token)\"}".utf8))
    }
    harness.backend.on("/introspect") { _ in
      TransportResponse(status: 200, headers: [.contentType: "application/json"], body: Array(#"{"id":"7"}"#.utf8))
    }
    var caller = try await harness.caller()
    let login = #"{"identifier":"dana@example.com","password":"correct horse 9"}"#
    for _ in 1...2 {
      let answer = await harness.call(.post, "/api/login/password", login, as: caller)
      #expect(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
      if let cookie = answer.headers[.setCookie]?.split(separator: ";").first.map(String.init) { caller.cookie = cookie }
    }
    let first = await harness.call(.get, "/api/network?endpoint=me", as: caller).json?["events"]?.elements.first?["id"]?.string
    let answer = await harness.call(.post, "/api/network/\(first ?? "")/replay", #"{"confirm":true}"#, as: caller)
    #expect(answer.status == 202, "\(answer.code ?? "")")
    _ = await row(harness, caller, answer.json?["id"]?.string)
    let sent = harness.backend.requests("/introspect")
    let old = try #require(sent.dropLast().last)
    let new = try #require(sent.last)
    #expect(new.headers == old.headers && new.headers[.authorization]?.hasPrefix("Basic ") == true)
    #expect(new.headers[.contentType] == "application/x-www-form-urlencoded")
    #expect(String(decoding: new.body ?? [], as: UTF8.self) == "token=access%2Btwo%262&hint=an+access+token")
  }

  /// What the file captures is masked in the answer to a row that is sent again, changed or not; so is what the session knows, which
  /// no request need have sent since a restart.
  @Test(arguments: ["{}", #"{"query":"part=some"}"#])
  func whatTheFileCapturesIsMaskedInTheAnswerToARowSentAgain(changes: String) async throws {
    let text = """
      understudy: 1
      calls:
        login_with_password:
          request: POST /login
          json: {u: "{identifier}", p: "{password}"}
          capture: {tenant: /tenant}
        me:
          request: GET /accounts/mine?part=all
          capture: {counter: /data/counter}
      """
    let definition = try BackendDefinition(parsing: Array(text.utf8), file: "x.yaml")
    let harness = try await ConsoleHarness(
      file: ActiveBackendFile(ActiveBackendFile.Content(definition: definition, secrets: ["CLIENT_SECRET": "hush hush"])))
    let json: HTTPFields = [.contentType: "application/json"]
    harness.backend.on("/login") { _ in
      TransportResponse(
        status: 200, headers: json, body: Array(#"{"access_token":"access-one-1","tenant":"blue-tenant"}"#.utf8))
    }
    let count = Locked(0)
    harness.backend.on("/accounts/mine") { _ in
      let turn = count.withLock { count in
        count += 1
        return count
      }
      return TransportResponse(
        status: 200, headers: json,
        body: Array("{\"id\":\"7\",\"data\":{\"counter\":\"kettle-\(turn)\"},\"seen\":[\"hush hush\",\"blue-tenant\"]}".utf8))
    }
    var caller = try await harness.caller()
    let login = #"{"identifier":"dana@example.com","password":"correct horse 9"}"#
    let answer = await harness.call(.post, "/api/login/password", login, as: caller)
    if let cookie = answer.headers[.setCookie]?.split(separator: ";").first.map(String.init) { caller.cookie = cookie }
    #expect(await harness.call(.post, "/api/session/relaunch", as: caller).status == 200)
    let first = await newest(harness, caller, "me")
    let replay = await harness.call(.post, "/api/network/\(first)/replay", changes, as: caller)
    #expect(replay.status == 202, "\(replay.code ?? "")")
    let sent = try #require(await row(harness, caller, replay.json?["id"]?.string))
    #expect(sent["endpoint"]?.string == "me" && sent["state"]?.string == "success")
    let body = try #require(sent["response"]?["body"]?.string)
    for secret in ["kettle-", "blue-tenant", "hush hush"] { #expect(!body.contains(secret), "\(body)") }
    #expect(body.contains(#""id":"7""#))
    let requests = harness.backend.requests("/accounts/mine")
    #expect(requests.last?.url.hasSuffix(changes == "{}" ? "/accounts/mine?part=all" : "/accounts/mine?part=some") == true)
    #expect(requests.last?.headers[.authorization] == "Bearer access-one-1")
  }

  @Test func anUnknownMaskIsAConflict() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    let answer = await compose(
      harness, caller, #""method":"GET","path":"/rpc/me","auth":true,"query":"a=‹token:00000000›""#)
    #expect(answer.status == 409 && answer.code == "not_replayable")
    // Verified by code: what went out was not kept.
    let login = await newest(harness, caller, "login_with_code")
    let replay = await harness.call(.post, "/api/network/\(login)/replay", #"{"confirm":true}"#, as: caller)
    #expect(replay.status == 403 && replay.code == "not_replayable")
  }

  @Test func aBodyThatWasNotRecordedHasToBeSupplied() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    let sent = await compose(
      harness, caller, #""method":"POST","path":"/elsewhere","auth":false,"confirm":true,"body":"text, {not JSON""#)
    let first = try #require(await row(harness, caller, sent.json?["id"]?.string))
    #expect(first["request"]?["body"] == nil && first["request"]?["body_note"]?.string == "not kept")
    #expect(first["endpoint"]?.string == "composed")
    let path = "/api/network/\(first["id"]?.string ?? "")/replay"
    let refused = await harness.call(.post, path, #"{"confirm":true}"#, as: caller)
    #expect(refused.status == 409 && refused.code == "not_replayable")
    let written = await harness.call(.post, path, #"{"confirm":true,"body":"again"}"#, as: caller)
    #expect(written.status == 202)
    _ = await row(harness, caller, written.json?["id"]?.string)
    let bodies = harness.backend.requests("/elsewhere").map { String(decoding: $0.body ?? [], as: UTF8.self) }
    #expect(bodies == ["text, {not JSON", "again"])
    #expect(harness.backend.requests("/elsewhere").allSatisfy { $0.headers[.authorization] == nil })
  }

  @Test func everythingGoesToTheConfiguredBackend() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    for path in [
      "//evil.example/x", "https://evil.example/", "/\\\\evil.example", "/a\\r\\nHost: evil", "/../x", "/%2e%2e/x", "/a#b",
      "/%5c%5cevil", "/a?b=1", "",
    ] {
      let answer = await compose(harness, caller, #""method":"GET","path":"\#(path)","auth":true"#)
      #expect(answer.status == 400 && answer.json?["field"]?.string == "path", "\(path)")
    }
    let count = harness.backend.state.withLock { $0.requests.count }
    let passing = await compose(harness, caller, #""method":"GET","path":"/x/y","query":"a=//evil.example","auth":true"#)
    _ = await row(harness, caller, passing.json?["id"]?.string)
    let sent = harness.backend.state.withLock { Array($0.requests.dropFirst(count)) }
    #expect(sent.map(\.url) == ["\(AccountBackend.origin)/x/y?a=//evil.example"])
  }

  @Test func aBodyCannotBecomeAHeader() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    let sent = await compose(
      harness, caller,
      #""method":"POST","path":"/x","auth":false,"confirm":true,"body":"a\r\nAuthorization: Bearer b\r\n\r\nGET / HTTP/1.1""#)
    _ = await row(harness, caller, sent.json?["id"]?.string)
    let request = try #require(harness.backend.requests("/x").last)
    #expect(request.headers[.authorization] == nil && request.headers[.contentType] == "application/json")
    #expect(request.body == Array("a\r\nAuthorization: Bearer b\r\n\r\nGET / HTTP/1.1".utf8))
  }

  @Test func unsafeMethodsNeedConfirmation() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    let answer = await compose(harness, caller, #""method":"DELETE","path":"/x","auth":true"#)
    #expect(answer.status == 400 && answer.json?["field"]?.string == "confirm")
    #expect(harness.backend.requests("/x").isEmpty)
    for path in ["/rpc/refresh_tokens", "/app/api/logout", "/RPC/login_with_code", "/rpc/refresh%5ftokens"] {
      let answer = await compose(harness, caller, #""method":"POST","path":"\#(path)","auth":true,"confirm":true,"body":{}"#)
      #expect(answer.status == 403 && answer.code == "not_replayable", "\(path)")
    }
  }

  @Test func anotherDevicesRowIsNotFound() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    let other = try await harness.signedIn()
    _ = await harness.call(.get, "/api/account", as: caller)
    let id = await newest(harness, caller, "me")
    for path in ["replay"] {
      #expect(await harness.call(.post, "/api/network/\(id)/\(path)", "{}", as: other).status == 404)
    }
    for path in ["curl", "swift", "markdown"] {
      #expect(await harness.call(.get, "/api/network/\(id)/\(path)", as: other).status == 404)
      #expect(await harness.call(.get, "/api/network/\(id)/\(path)", as: caller).status != 404)
    }
  }

  @Test func withoutASessionOnlyOpenCallsAreSent() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    _ = await harness.call(.get, "/api/account", as: caller)
    let id = await newest(harness, caller, "me")
    _ = await harness.call(.post, "/api/logout", as: caller)
    let replay = await harness.call(.post, "/api/network/\(id)/replay", "{}", as: caller)
    #expect(replay.status == 401 && replay.code == "signed_out")
    let composed = await compose(harness, caller, #""method":"GET","path":"/rpc/app_config","auth":false"#)
    #expect(composed.status == 202)
    #expect(await row(harness, caller, composed.json?["id"]?.string)?["status"]?.int64 == 200)
  }

  @Test func aBackendsRefusalShowsInTheRowOnly() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    harness.backend.on("/x") { _ in AccountBackend.error(401, "invalid_token") }
    let answer = await compose(harness, caller, #""method":"GET","path":"/x","auth":false"#)
    #expect(answer.status == 202)
    #expect(await row(harness, caller, answer.json?["id"]?.string)?["status"]?.int64 == 401)
  }

  @Test func anExpiredTokenIsRefreshedAsForAnyCall() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    let refusals = Locked(1)
    harness.backend.on("/x") { _ in
      let isRefused = refusals.withLock { count in
        defer { count = max(0, count - 1) }
        return count > 0
      }
      return isRefused ? AccountBackend.error(401, BackendErrorCode.accessTokenExpired) : TransportResponse(status: 204)
    }
    let answer = await compose(harness, caller, #""method":"GET","path":"/x","auth":true"#)
    let first = try #require(await row(harness, caller, answer.json?["id"]?.string))
    #expect(first["status"]?.int64 == 401)
    await eventually { harness.backend.requests("/x").count >= 2 }
    #expect(harness.backend.requests(AuthEndpoints.RefreshTokens.path).count == 1)
    #expect(harness.backend.requests("/x").count == 2)
  }

  @Test(arguments: [
    "[]", "1", #"{"method":1}"#, #"{"method":"GET"}"#, #"{"method":"GET","path":"/x"}"#,
    #"{"method":"GET","path":"/x","auth":"yes"}"#,
    #"{"method":"GET","path":["/x"],"auth":true}"#, #"{"method":"GET","path":"/x","auth":true,"path":"/y"}"#, "", "{",
    #"{"method":"GET","path":"/x","auth":true,"body":"{}"}"#, #"{"method":"GET","path":"/x","auth":true,"query":"?a"}"#,
  ])
  func invalidBodiesAreRefused(_ body: String) async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.caller()
    let answer = await harness.call(.post, "/api/network/requests", body, as: caller)
    #expect(answer.status == 400 && answer.code == "invalid_request")
  }

  @Test func theNumberOfReplaysIsLimited() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.caller()
    harness.backend.on("/slow") { _ throws(TransportError) in
      await untilCancelled()
      throw .cancelled
    }
    for _ in 0..<16 {
      #expect(await compose(harness, caller, #""method":"GET","path":"/slow","auth":false"#).status == 202)
    }
    let refused = await compose(harness, caller, #""method":"GET","path":"/slow","auth":false"#)
    #expect(refused.status == 429 && refused.code == "too_many_attempts")
    #expect(await harness.call(.delete, "/api/device", as: caller).status == 204, "what runs is cancelled with the device")
  }
}
