import BackendFile
import Client
import HTTPTypes
import JSON
import Testing

@testable import Console

/// Accounts that somebody has taken: who can sign in with them, by code and by link.
@Suite(.timeLimit(.minutes(1))) struct PersonLeaseTests {
  @Test func twoPeopleDoNotMeetInAnAccount() async throws {
    let harness = try await PersonTests.harness()
    let ann = try await PersonTests.withDevice("ann@example.com", harness)
    let ben = try await PersonTests.withDevice("ben@example.com", harness)
    let lease = #"{"identifier":"Dana@Example.com","minutes":30}"#
    let taken = await harness.call(.post, "/api/account-leases", lease, as: ann)
    #expect(taken.status == 201 && taken.json?["identifier"]?.string == "dana@example.com")
    let code = #"{"identifier":" dana@example.com","code":"123456"}"#
    for (path, body) in [
      ("/api/account-leases", lease), ("/api/login/code/verify", code),
      ("/api/login/code", #"{"identifier":"DANA@example.com"}"#),
      ("/api/login/magic-link", #"{"identifier":"dana@example.com"}"#),
    ] {
      let answer = await harness.call(.post, path, body, as: ben)
      #expect(answer.status == 409 && answer.code == "account_taken", "\(path)")
      #expect(answer.json?["detail"]?.string?.hasPrefix("Taken by ann@example.com until 2") == true)
      #expect((1790...1800).contains(Int(answer.json?["retry_after_seconds"]?.sourceText ?? "") ?? 0))
    }
    #expect(await harness.call(.post, "/api/login/code/verify", code, as: ann).status == 200)
    let list = await harness.call(.get, "/api/account-leases", as: ben).json?["leases"]?.elements ?? []
    #expect(list.map { "\($0["person"]?.string ?? "") \($0["is_mine"]?.sourceText ?? "")" } == ["ann@example.com false"])
    let id = try #require(list.first?["lease_id"]?.string)
    #expect(await harness.call(.delete, "/api/account-leases/\(id)", as: ben).status == 404)
    #expect(await harness.call(.delete, "/api/account-leases/\(id)", as: PersonTests.named("olga@example.com")).status == 204)
    #expect(await harness.call(.post, "/api/login/code/verify", code, as: ben).status == 200)
    for minutes in ["0", "481", "-1"] {
      let body = "{\"identifier\":\"x@example.com\",\"minutes\":\(minutes)}"
      #expect(await harness.call(.post, "/api/account-leases", body, as: ann).status == 400)
    }
    #expect(
      await harness.call(.post, "/api/account-leases", #"{"identifier":"x","minutes":1}"#, as: ann).code == "invalid_identifier")
  }

  /// At a backend whose file describes it, people sign in with names too.
  @Test func aNameIsTakenHoweverItIsTyped() async throws {
    let text =
      #"{understudy: 1, calls: {login_with_password: {request: POST /login, json: {u: "{identifier}", p: "{password}"}}}}"#
    let definition = try BackendDefinition(parsing: Array(text.utf8), file: "x.yaml")
    let harness = try await PersonTests.harness(
      file: ActiveBackendFile(ActiveBackendFile.Content(definition: definition, secrets: [:])))
    harness.backend.on("/login") { _ in
      TransportResponse(status: 200, headers: [.contentType: "application/json"], body: Array(#"{"token":"access-one-1"}"#.utf8))
    }
    let ann = try await PersonTests.withDevice("ann@example.com", harness)
    let ben = try await PersonTests.withDevice("ben@example.com", harness)
    let taken = await harness.call(.post, "/api/account-leases", #"{"identifier":" ada","minutes":30}"#, as: ann)
    #expect(taken.status == 201 && taken.json?["identifier"]?.string == "ada")
    for name in ["ada", "ada ", "Ada"] {
      let answer = await harness.call(
        .post, "/api/login/password", "{\"identifier\":\"\(name)\",\"password\":\"correct horse 9\"}", as: ben)
      #expect(answer.status == 409 && answer.code == "account_taken", "\(name): \(answer.status)")
    }
    let own = #"{"identifier":"ada","password":"correct horse 9"}"#
    #expect(await harness.call(.post, "/api/login/password", own, as: ann).status == 200)
    // An address is one in any case, although it is sent as it was typed.
    #expect(
      await harness.call(.post, "/api/account-leases", #"{"identifier":"Dana@Example.com","minutes":30}"#, as: ann).status == 201)
    let other = #"{"identifier":"DANA@example.com","password":"correct horse 9"}"#
    #expect(await harness.call(.post, "/api/login/password", other, as: ben).code == "account_taken")
  }

  /// Only after the sign-in is it known whose link it was.
  @Test func aLinkOfATakenAccountSignsNobodyIn() async throws {
    let harness = try await PersonTests.harness()
    let ann = try await PersonTests.withDevice("ann@example.com", harness)
    let ben = try await PersonTests.withDevice("ben@example.com", harness)
    let lease = #"{"identifier":"dana@example.com","minutes":30}"#
    #expect(await harness.call(.post, "/api/account-leases", lease, as: ann).status == 201)
    let link = #"{"token":"a-token-of-twenty-bytes","accept_foreign":true}"#
    let refused = await harness.call(.post, "/api/login/magic-link/complete", link, as: ben)
    #expect(refused.status == 409 && refused.code == "account_taken", "\(refused.status) \(refused.code ?? "")")
    #expect(await harness.call(.get, "/api/state", as: ben).json?["session"]?["state"]?.string == "signed_out")
    #expect(await harness.call(.post, "/api/login/magic-link/complete", link, as: ann).status == 200)
  }

  /// Whose link it was cannot be told if the backend does not say it.
  @Test(arguments: [#"{"code":"forbidden","message":""}"#, #"{"user_id":"user","account_id":"account"}"#])
  func aLinkWithoutAnAccountSignsNobodyInWhileOthersHaveAccounts(me: String) async throws {
    let harness = try await PersonTests.harness()
    let ann = try await PersonTests.withDevice("ann@example.com", harness)
    let ben = try await PersonTests.withDevice("ben@example.com", harness)
    harness.backend.on("/rpc/me") { _ in
      TransportResponse(
        status: me.contains("forbidden") ? 403 : 200, headers: [.contentType: "application/json"], body: Array(me.utf8))
    }
    let link = #"{"token":"a-token-of-twenty-bytes","accept_foreign":true}"#
    #expect(await harness.call(.post, "/api/login/magic-link/complete", link, as: ben).status == 200)
    let lease = #"{"identifier":"somebody@example.com","minutes":30}"#
    #expect(await harness.call(.post, "/api/account-leases", lease, as: ann).status == 201)
    let refused = await harness.call(.post, "/api/login/magic-link/complete", link, as: ben)
    #expect(refused.status == 409 && refused.code == "account_taken", "\(refused.status) \(refused.code ?? "")")
    #expect(refused.json?["detail"]?.string?.contains("could not be read") == true)
    #expect(await harness.call(.get, "/api/state", as: ben).json?["session"]?["state"]?.string == "signed_out")
    // Nobody but Ann has one, and a code tells whose account it is.
    #expect(await harness.call(.post, "/api/login/magic-link/complete", link, as: ann).status == 200)
    let code = #"{"identifier":"dana@example.com","code":"123456"}"#
    #expect(await harness.call(.post, "/api/login/code/verify", code, as: ben).status == 200)
  }

  @Test func aCodeForAnotherIdentifierOfATakenAccountSignsNobodyIn() async throws {
    let harness = try await PersonTests.harness()
    let ann = try await PersonTests.withDevice("ann@example.com", harness)
    let ben = try await PersonTests.withDevice("ben@example.com", harness)
    let lease = #"{"identifier":"dana@example.com","minutes":30}"#
    #expect(await harness.call(.post, "/api/account-leases", lease, as: ann).status == 201)
    let code = #"{"identifier":"+49 170 1234567","code":"123456"}"#
    let refused = await harness.call(.post, "/api/login/code/verify", code, as: ben)
    #expect(refused.status == 409 && refused.code == "account_taken", "\(refused.status) \(refused.code ?? "")")
    #expect(await harness.call(.get, "/api/state", as: ben).json?["session"]?["state"]?.string == "signed_out")
    #expect(await harness.call(.post, "/api/login/code/verify", code, as: ann).status == 200)
  }
}
