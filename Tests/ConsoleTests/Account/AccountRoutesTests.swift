import Client
import HTTPTypes
import JSON
import RPC
import Locking
import Testing

/// Profiles, language and deletion through every layer of the console, over a scripted backend.
@Suite(.timeLimit(.minutes(2))) struct AccountRoutesTests {
  @Test func profilesAreListedMadeAndSwitched() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    let list = await harness.call(.get, "/api/profiles", as: caller)
    #expect(list.json?["profiles"]?.elements.count == 1 && list.json?["active_profile_id"]?.string == "profile-en")
    let made = await harness.call(.post, "/api/profiles", #"{"language_code":"de"}"#, as: caller)
    #expect(made.status == 201 && made.json?["profile_id"]?.string == "profile-de")
    let again = await harness.call(.post, "/api/profiles", #"{"language_code":"de"}"#, as: caller)
    #expect(again.status == 200 && again.json?["profile_id"]?.string == "profile-de")
    #expect(await harness.call(.get, "/api/profiles", as: caller).json?["active_profile_id"]?.string == "profile-en")
    let switched = await harness.call(.post, "/api/profiles/active", #"{"profile_id":"profile-de"}"#, as: caller)
    #expect(switched.status == 200 && switched.json?["language_code"]?.string == "de")
    let state = await harness.call(.get, "/api/state", as: caller)
    #expect(state.json?["session"]?["user"]?["active_profile_id"]?.string == "profile-de")
  }

  @Test func aProfileOfSomebodyElseIsNotFound() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    let answer = await harness.call(.post, "/api/profiles/active", #"{"profile_id":"profile-xx"}"#, as: caller)
    #expect(answer.status == 404 && answer.code == "not_found")
    #expect(harness.backend.requests(AccountEndpoints.SetActiveProfile.path).isEmpty)
  }

  @Test func theLanguageLeadsToTheAccountWithItsProfile() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    let answer = await harness.call(.post, "/api/account/language", #"{"language_code":"fr"}"#, as: caller)
    #expect(answer.status == 200)
    #expect(answer.json?["active_profile"]?["language_code"]?.string == "fr")
    #expect(answer.json?["settings"]?["preferred_language_code"]?.string == "fr")
    // What is preferred stays with the session where the app is switched elsewhere.
    _ = await harness.call(.post, "/api/profiles/active", #"{"profile_id":"profile-en"}"#, as: caller)
    _ = await harness.call(.post, "/api/session/relaunch", as: caller)
    let account = await harness.call(.get, "/api/account", as: caller)
    #expect(account.json?["active_profile"]?["language_code"]?.string == "en")
    #expect(account.json?["settings"]?["preferred_language_code"]?.string == "fr")
  }

  @Test(arguments: ["/api/account/language", "/api/profiles"], ["xx", "", "<b>de</b>", "d\\u0000e", "\u{202E}ed"])
  func anInvalidLanguageIsRefusedAtItsField(path: String, code: String) async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    let answer = await harness.call(.post, path, #"{"language_code":"\#(code)"}"#, as: caller)
    #expect(answer.status == 400 && answer.code == "invalid_request")
    #expect(answer.json?["field"]?.string == "language_code")
    #expect(harness.backend.requests(AccountEndpoints.GetOrCreateProfile.path).isEmpty)
  }

  @Test func theDeletionIsScheduledAndSignsOut() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    let answer = await harness.call(.post, "/api/account/deletion", #"{"confirmation":"DELETE"}"#, as: caller)
    #expect(answer.status == 202 && answer.json?["scheduled_for"]?.string == AccountBackend.deletionInstant.text)
    let state = await harness.call(.get, "/api/state", as: caller)
    #expect(state.json?["session"]?["state"]?.string == "signed_out")
    #expect(state.json?["session"]?["reason"]?.string == "account_deletion")
    let keys = harness.backend.requests(AccountEndpoints.RequestDeletion.path).map { $0.headers[.idempotency] }
    #expect(keys.count == 1 && keys.first??.isEmpty == false)
    #expect(await harness.call(.post, "/api/account/deletion", #"{"confirmation":"DELETE"}"#, as: caller).code == "signed_out")
  }

  @Test func aWrongWordIsRefusedAtItsField() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    for word in ["", "delete", String(repeating: "D", count: 10_000), "DELETE\\u200b"] {
      let answer = await harness.call(.post, "/api/account/deletion", #"{"confirmation":"\#(word)"}"#, as: caller)
      #expect(answer.status == 422 && answer.code == "confirmation_mismatch")
      #expect(answer.json?["field"]?.string == "confirmation")
    }
    #expect(harness.backend.requests(AccountEndpoints.RequestDeletion.path).isEmpty)
  }

  @Test func aDisabledDeletionIsForbidden() async throws {
    let harness = try await ConsoleHarness()
    harness.backend.state.withLock { $0.features.accountDeletion = false }
    let caller = try await harness.signedIn()
    let answer = await harness.call(.post, "/api/account/deletion", #"{"confirmation":"DELETE"}"#, as: caller)
    #expect(answer.status == 403 && answer.code == "feature_disabled")
    #expect(harness.backend.requests(AccountEndpoints.RequestDeletion.path).isEmpty)
  }

  @Test func aLostAnswerIsLookedUp() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    let backend = harness.backend
    backend.on(AccountEndpoints.RequestDeletion.path) { request throws(TransportError) in
      _ = backend.answer(request)
      throw .connectionLost(mayHaveBeenProcessed: true)
    }
    let answer = await harness.call(.post, "/api/account/deletion", #"{"confirmation":"DELETE"}"#, as: caller)
    #expect(answer.status == 202 && answer.json?["scheduled_for"]?.string == AccountBackend.deletionInstant.text)
    let keys = backend.requests(AccountEndpoints.RequestDeletion.path).map { $0.headers[.idempotency] }
    #expect(keys.count == 3 && Set(keys).count == 1, "every attempt is the same request")
  }

  @Test func anUnknownOutcomeIsShownUntilTheAccountIsLoaded() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    let backend = harness.backend
    backend.on(AccountEndpoints.RequestDeletion.path) { request throws(TransportError) in
      _ = backend.answer(request)
      throw .connectionLost(mayHaveBeenProcessed: true)
    }
    backend.on(AccountEndpoints.Me.path) { _ throws(TransportError) in throw .offline(kind: .cannotConnect) }
    let answer = await harness.call(.post, "/api/account/deletion", #"{"confirmation":"DELETE"}"#, as: caller)
    #expect(answer.status == 503 && answer.code == "offline")
    let state = await harness.call(.get, "/api/state", as: caller)
    #expect(state.json?["deletion"]?["outcome"]?.string == "unknown")
    #expect(state.json?["session"]?["state"]?.string == "authenticated")
    for path in [AccountEndpoints.RequestDeletion.path, AccountEndpoints.Me.path] { backend.on(path, nil) }
    harness.pass()
    let account = await harness.call(.get, "/api/account", as: caller)
    #expect(account.json?["user"]?["deletion_scheduled_for"]?.string == AccountBackend.deletionInstant.text)
    #expect(await harness.call(.get, "/api/state", as: caller).json?["deletion"] == nil)
    #expect(await harness.call(.post, "/api/account/deletion", #"{"confirmation":"DELETE"}"#, as: caller).status == 202)
  }

  @Test func aClearedLogDoesNotHideAnUnknownOutcome() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    harness.backend.on(AccountEndpoints.RequestDeletion.path) { _ throws(TransportError) in
      throw .connectionLost(mayHaveBeenProcessed: true)
    }
    harness.backend.on(AccountEndpoints.Me.path) { _ throws(TransportError) in
      // While the account is asked, the user clears the log with the rows of the deletion.
      _ = await harness.call(.delete, "/api/network", as: caller)
      throw .offline(kind: .cannotConnect)
    }
    #expect(await harness.call(.post, "/api/account/deletion", #"{"confirmation":"DELETE"}"#, as: caller).code == "offline")
    #expect(await harness.call(.get, "/api/state", as: caller).json?["deletion"]?["outcome"]?.string == "unknown")
  }

  @Test func anAttemptBeforeTheConnectionFailedLeavesTheOutcomeUnknown() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    let attempts = Locked(0)
    harness.backend.on(AccountEndpoints.RequestDeletion.path) { _ throws(TransportError) in
      let attempt = attempts.withLock { attempts in
        attempts += 1
        return attempts
      }
      throw attempt == 1 ? .timedOut(.idle) : .offline(kind: .cannotConnect)
    }
    harness.backend.on(AccountEndpoints.Me.path) { _ throws(TransportError) in throw .offline(kind: .cannotConnect) }
    #expect(await harness.call(.post, "/api/account/deletion", #"{"confirmation":"DELETE"}"#, as: caller).code == "offline")
    #expect(attempts.withLock { $0 } > 1)
    #expect(await harness.call(.get, "/api/state", as: caller).json?["deletion"]?["outcome"]?.string == "unknown")
  }

  @Test func aRequestThatWasNeverSentIsNotUnknown() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    for path in [AccountEndpoints.RequestDeletion.path, AccountEndpoints.Me.path] {
      harness.backend.on(path) { _ throws(TransportError) in throw .offline(kind: .cannotConnect) }
    }
    #expect(await harness.call(.post, "/api/account/deletion", #"{"confirmation":"DELETE"}"#, as: caller).code == "offline")
    #expect(await harness.call(.get, "/api/state", as: caller).json?["deletion"] == nil)
  }

  @Test func developerToolsNeedTheFlagAndTheRole() async throws {
    for (flag, role) in [(true, true), (true, false), (false, true)] {
      let harness = try await ConsoleHarness()
      harness.backend.state.withLock { state in
        state.features.developerTools = flag
        state.roles = role ? ["user", "developer"] : ["user"]
      }
      let developer = await harness.call(.get, "/api/account", as: try await harness.signedIn()).json?["developer"]
      #expect(developer?["tools"]?.bool == (flag && role))
      #expect(developer?["flag"]?.bool == flag && developer?["role"]?.bool == role)
    }
  }

  @Test(arguments: [(1, 100), (500, 500), (1_000_000, 20_000)])
  func theLogHoldsWhatTheConfigurationSays(asked: Int, held: Int64) async throws {
    let harness = try await ConsoleHarness()
    harness.backend.state.withLock { $0.capacity = asked }
    let caller = try await harness.signedIn()
    #expect(await harness.call(.get, "/api/network", as: caller).json?["capacity"]?.int64 == held)
  }
}

extension HTTPField.Name {
  /// The header with the idempotency key.
  static let idempotency = HTTPField.Name.idempotencyKey
}
