import Client
import Domain
import HTTPTypes
import JSON
import RPC
import Support
import Testing
import Wire

/// How the client handles hostile responses (edge cases 29 to 34).
@Suite(.timeLimit(.minutes(1)))
struct HostileBackendTests {
  @Test(arguments: ["Basic realm=\"x\"", "Digest realm=\"x\", nonce=\"y\"", "Negotiate", "Bearer error=\"invalid_token\""])
  func aChallengeIsARefusalAndNothingWaitsForIt(challenge: String) async throws {
    let harness = try LiveHarness { connection in
      connection.serve { _ in connection.respond("401 Unauthorized", ["WWW-Authenticate: \(challenge)"]) }
    }
    try await harness.use { harness in
      // Without authentication nothing is refreshed, and no password is requested or sent.
      #expect(await harness.call(AppEndpoints.AppConfig()) == .failure(.unauthorized))
      #expect(harness.server.requests.count == 1)
      #expect(harness.server.requests.allSatisfy { $0.values("authorization").isEmpty })
    }
  }

  @Test(arguments: ["a\\r\\nX-Injected: 1", "a\\nb", "a b", "\\u0000", ""])
  func aTokenThatIsNoTokenReachesNoHeader(token: String) async throws {
    let json =
      #"{"access_token":"\#(token)","refresh_token":"r","token_type":"Bearer","expires_in":900,"expires_at":"2026-11-21T12:00:00Z","#
      + #""refresh_expires_in":9000,"refresh_expires_at":"2026-11-21T12:00:00Z","session_id":"s"}"#
    let harness = try LiveHarness { connection in connection.serve { _ in connection.respond(body: Array(json.utf8)) } }
    try await harness.use { harness in
      await #expect(throws: AuthError.failed(.unexpectedPayload)) {
        try await harness.stack.auth.redeemCode(Identifier(normalizing: "someone@example.org"), "123456", [:])
      }
      #expect(await harness.me() == .failure(.unauthorized))
      #expect(harness.server.requests.count == 1)
    }
  }

  /// 50 MB of zeros in 50 KB: the limit applies to the decompressed body.
  @Test func aCompressedBombIsNoAnswerAndNoReasonToAskAgain() async throws {
    let bomb = try #require(Gzip.compress([UInt8](repeating: 0, count: 50 << 20), level: 9))
    let harness = try LiveHarness { connection in
      connection.serve { _ in connection.respond("200 OK", ["Content-Encoding: gzip"], body: bomb) }
    }
    try await harness.use { harness in
      try await harness.adoptTokens()
      #expect(await harness.me() == .failure(.unexpectedPayload(.tooLarge)))
      #expect(harness.server.requests.count == 1)
    }
  }

  @Test func anAnswerWithoutABodyIsOnlyGoodWhereNoneIsPromised() async throws {
    let harness = try LiveHarness { connection in connection.serve { _ in connection.write("HTTP/1.1 204 No Content\r\n\r\n") } }
    try await harness.use { harness in
      try await harness.adoptTokens()
      #expect(await harness.call(PlainPost()) == .success(NoBody()))
      #expect(await harness.me() == .failure(.unexpectedPayload(.emptyBody)))
      #expect(harness.server.connections == 1)
    }
  }

  @Test(arguments: ["[]", "null", "{", #"{"user_id":{}}"#, #"{"user_id":"a","user_id":"b"}"#, "\u{FEFF}{}"])
  func ajsonThatIsNotWhatWasPromisedIsOneError(body: String) async throws {
    let harness = try ClientHarness(backoff: .none)
    try await harness.signIn()
    harness.backend.on(AccountEndpoints.Me.path) { _ in TransportResponse(status: 200, body: Array(body.utf8)) }
    #expect(await harness.me().error?.word == "unexpected_payload")
    #expect(harness.backend.requests(AccountEndpoints.Me.path).count == 1)
  }

  @Test(arguments: [
    (403, "forbidden", NetworkError.forbidden(code: "forbidden")), (404, "not_found", .notFound(code: "not_found")),
    (404, "profile_not_found", .notFound(code: "profile_not_found")),
    (409, "conflict", .rejected(status: 409, code: "conflict")),
    (418, "x", .rejected(status: 418, code: "x")), (500, "internal", .server(statusCode: 500)),
    (599, "x", .server(statusCode: 599)), (600, "x", .unexpectedPayload(.unexpected(status: 600))),
    (304, "x", .unexpectedPayload(.unexpected(status: 304))),
    (400, "a code that is none", .rejected(status: 400, code: nil)),
  ])
  func eachStatusHasItsError(status: Int, code: String, expected: NetworkError) async throws {
    let harness = try ClientHarness(backoff: .none)
    try await harness.signIn()
    harness.backend.on(PlainPost.path) { _ in ScriptedBackend.error(status, code) }
    let api = harness.stack.api
    #expect(await ClientHarness.result { () throws(NetworkError) in try await api.send(PlainPost()) } == .failure(expected))
  }

  @Test func aQueryIsPercentEncodedAsItIsSigned() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    harness.backend.on(CueEndpoints.GetCues.path) { _ in TransportResponse(status: 404) }
    let api = harness.stack.api
    let profileID = "a b+c/d?e&f=g#h%i'é\u{1F600}\r\n~._-"
    let result = await ClientHarness.result { () throws(NetworkError) in
      try await api.send(CueEndpoints.GetCues(profileID: profileID, updatedSince: Timestamp(milliseconds: 1)))
    }
    #expect(result == .failure(.notFound(code: nil)))
    let request = try #require(harness.backend.requests(CueEndpoints.GetCues.path).first)
    #expect(
      request.url.hasSuffix(
        "/rpc/get_cues?profile_id=a%20b%2Bc%2Fd%3Fe%26f%3Dg%23h%25i%27%C3%A9%F0%9F%98%80%0D%0A~._-"
          + "&updated_since=1970-01-01T00%3A00%3A00.001Z"))
  }
}
