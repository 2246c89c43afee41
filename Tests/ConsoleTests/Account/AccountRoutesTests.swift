import Client
import HTTPTypes
import JSON
import RPC
import Locking
import Testing

/// Profiles, language and deletion through every layer of the console, over a scripted backend.
@Suite(.timeLimit(.minutes(2))) struct AccountRoutesTests {
  @Test func profilesAreListedMadeAndSwitched() async throws {
    let bench = try ConsoleHarness()
    let caller = try await bench.signedIn()
    let list = await bench.call(.get, "/api/profiles", as: caller)
    #expect(list.json?["profiles"]?.elements.count == 1 && list.json?["active_profile_id"]?.string == "profile-en")
    let made = await bench.call(.post, "/api/profiles", #"{"language_code":"de"}"#, as: caller)
    #expect(made.status == 201 && made.json?["profile_id"]?.string == "profile-de")
    let again = await bench.call(.post, "/api/profiles", #"{"language_code":"de"}"#, as: caller)
    #expect(again.status == 200 && again.json?["profile_id"]?.string == "profile-de")
    #expect(await bench.call(.get, "/api/profiles", as: caller).json?["active_profile_id"]?.string == "profile-en")
    let switched = await bench.call(.post, "/api/profiles/active", #"{"profile_id":"profile-de"}"#, as: caller)
    #expect(switched.status == 200 && switched.json?["language_code"]?.string == "de")
    let state = await bench.call(.get, "/api/state", as: caller)
    #expect(state.json?["session"]?["user"]?["active_profile_id"]?.string == "profile-de")
  }

  @Test func aProfileOfSomebodyElseIsNotFound() async throws {
    let bench = try ConsoleHarness()
    let caller = try await bench.signedIn()
    let answer = await bench.call(.post, "/api/profiles/active", #"{"profile_id":"profile-xx"}"#, as: caller)
    #expect(answer.status == 404 && answer.code == "not_found")
    #expect(bench.backend.requests(AccountEndpoints.SetActiveProfile.path).isEmpty)
  }

  @Test func theLanguageLeadsToTheAccountWithItsProfile() async throws {
    let bench = try ConsoleHarness()
    let caller = try await bench.signedIn()
    let answer = await bench.call(.post, "/api/account/language", #"{"language_code":"fr"}"#, as: caller)
    #expect(answer.status == 200)
    #expect(answer.json?["active_profile"]?["language_code"]?.string == "fr")
    #expect(answer.json?["settings"]?["preferred_language_code"]?.string == "fr")
    // What is preferred stays with the session where the app is switched elsewhere.
    _ = await bench.call(.post, "/api/profiles/active", #"{"profile_id":"profile-en"}"#, as: caller)
    _ = await bench.call(.post, "/api/session/relaunch", as: caller)
    let account = await bench.call(.get, "/api/account", as: caller)
    #expect(account.json?["active_profile"]?["language_code"]?.string == "en")
    #expect(account.json?["settings"]?["preferred_language_code"]?.string == "fr")
  }

  @Test(arguments: ["/api/account/language", "/api/profiles"], ["xx", "", "<b>de</b>", "d\\u0000e", "\u{202E}ed"])
  func aLanguageThatIsNoneIsRefusedAtItsField(path: String, code: String) async throws {
    let bench = try ConsoleHarness()
    let caller = try await bench.signedIn()
    let answer = await bench.call(.post, path, #"{"language_code":"\#(code)"}"#, as: caller)
    #expect(answer.status == 400 && answer.code == "invalid_request")
    #expect(answer.json?["field"]?.string == "language_code")
    #expect(bench.backend.requests(AccountEndpoints.GetOrCreateProfile.path).isEmpty)
  }

  @Test func theDeletionIsScheduledAndSignsOut() async throws {
    let bench = try ConsoleHarness()
    let caller = try await bench.signedIn()
    let answer = await bench.call(.post, "/api/account/deletion", #"{"confirmation":"DELETE"}"#, as: caller)
    #expect(answer.status == 202 && answer.json?["scheduled_for"]?.string == AccountBackend.deletionInstant.text)
    let state = await bench.call(.get, "/api/state", as: caller)
    #expect(state.json?["session"]?["state"]?.string == "signed_out")
    #expect(state.json?["session"]?["reason"]?.string == "account_deletion")
    let keys = bench.backend.requests(AccountEndpoints.RequestDeletion.path).map { $0.headers[.idempotency] }
    #expect(keys.count == 1 && keys.first??.isEmpty == false)
    #expect(await bench.call(.post, "/api/account/deletion", #"{"confirmation":"DELETE"}"#, as: caller).code == "signed_out")
  }

  @Test func aWrongWordIsRefusedAtItsField() async throws {
    let bench = try ConsoleHarness()
    let caller = try await bench.signedIn()
    for word in ["", "delete", String(repeating: "D", count: 10_000), "DELETE\\u200b"] {
      let answer = await bench.call(.post, "/api/account/deletion", #"{"confirmation":"\#(word)"}"#, as: caller)
      #expect(answer.status == 422 && answer.code == "confirmation_mismatch")
      #expect(answer.json?["field"]?.string == "confirmation")
    }
    #expect(bench.backend.requests(AccountEndpoints.RequestDeletion.path).isEmpty)
  }

  @Test func aDeletionThatIsSwitchedOffIsForbidden() async throws {
    let bench = try ConsoleHarness()
    bench.backend.state.withLock { $0.features.accountDeletion = false }
    let caller = try await bench.signedIn()
    let answer = await bench.call(.post, "/api/account/deletion", #"{"confirmation":"DELETE"}"#, as: caller)
    #expect(answer.status == 403 && answer.code == "feature_disabled")
    #expect(bench.backend.requests(AccountEndpoints.RequestDeletion.path).isEmpty)
  }

  @Test func aLostAnswerIsLookedUp() async throws {
    let bench = try ConsoleHarness()
    let caller = try await bench.signedIn()
    let backend = bench.backend
    backend.on(AccountEndpoints.RequestDeletion.path) { request throws(TransportError) in
      _ = backend.answer(request)
      throw .connectionLost(mayHaveBeenProcessed: true)
    }
    let answer = await bench.call(.post, "/api/account/deletion", #"{"confirmation":"DELETE"}"#, as: caller)
    #expect(answer.status == 202 && answer.json?["scheduled_for"]?.string == AccountBackend.deletionInstant.text)
    let keys = backend.requests(AccountEndpoints.RequestDeletion.path).map { $0.headers[.idempotency] }
    #expect(keys.count == 3 && Set(keys).count == 1, "every attempt is the same request")
  }

  @Test func anUnknownOutcomeIsSaidUntilTheAccountTells() async throws {
    let bench = try ConsoleHarness()
    let caller = try await bench.signedIn()
    let backend = bench.backend
    backend.on(AccountEndpoints.RequestDeletion.path) { request throws(TransportError) in
      _ = backend.answer(request)
      throw .connectionLost(mayHaveBeenProcessed: true)
    }
    backend.on(AccountEndpoints.Me.path) { _ throws(TransportError) in throw .offline(kind: .cannotConnect) }
    let answer = await bench.call(.post, "/api/account/deletion", #"{"confirmation":"DELETE"}"#, as: caller)
    #expect(answer.status == 503 && answer.code == "offline")
    let state = await bench.call(.get, "/api/state", as: caller)
    #expect(state.json?["deletion"]?["outcome"]?.string == "unknown")
    #expect(state.json?["session"]?["state"]?.string == "authenticated")
    for path in [AccountEndpoints.RequestDeletion.path, AccountEndpoints.Me.path] { backend.on(path, nil) }
    bench.pass()
    let account = await bench.call(.get, "/api/account", as: caller)
    #expect(account.json?["user"]?["deletion_scheduled_for"]?.string == AccountBackend.deletionInstant.text)
    #expect(await bench.call(.get, "/api/state", as: caller).json?["deletion"] == nil)
    #expect(await bench.call(.post, "/api/account/deletion", #"{"confirmation":"DELETE"}"#, as: caller).status == 202)
  }

  @Test func aClearedLogDoesNotHideAnUnknownOutcome() async throws {
    let bench = try ConsoleHarness()
    let caller = try await bench.signedIn()
    bench.backend.on(AccountEndpoints.RequestDeletion.path) { _ throws(TransportError) in
      throw .connectionLost(mayHaveBeenProcessed: true)
    }
    bench.backend.on(AccountEndpoints.Me.path) { _ throws(TransportError) in
      // While the account is asked, the user clears the log with the rows of the deletion.
      _ = await bench.call(.delete, "/api/network", as: caller)
      throw .offline(kind: .cannotConnect)
    }
    #expect(await bench.call(.post, "/api/account/deletion", #"{"confirmation":"DELETE"}"#, as: caller).code == "offline")
    #expect(await bench.call(.get, "/api/state", as: caller).json?["deletion"]?["outcome"]?.string == "unknown")
  }

  @Test func anAttemptBeforeTheConnectionFailedLeavesTheOutcomeUnknown() async throws {
    let bench = try ConsoleHarness()
    let caller = try await bench.signedIn()
    let attempts = Locked(0)
    bench.backend.on(AccountEndpoints.RequestDeletion.path) { _ throws(TransportError) in
      let attempt = attempts.withLock { attempts in
        attempts += 1
        return attempts
      }
      throw attempt == 1 ? .timedOut(.idle) : .offline(kind: .cannotConnect)
    }
    bench.backend.on(AccountEndpoints.Me.path) { _ throws(TransportError) in throw .offline(kind: .cannotConnect) }
    #expect(await bench.call(.post, "/api/account/deletion", #"{"confirmation":"DELETE"}"#, as: caller).code == "offline")
    #expect(attempts.withLock { $0 } > 1)
    #expect(await bench.call(.get, "/api/state", as: caller).json?["deletion"]?["outcome"]?.string == "unknown")
  }

  @Test func aRequestThatNeverWentOutIsNotUnknown() async throws {
    let bench = try ConsoleHarness()
    let caller = try await bench.signedIn()
    for path in [AccountEndpoints.RequestDeletion.path, AccountEndpoints.Me.path] {
      bench.backend.on(path) { _ throws(TransportError) in throw .offline(kind: .cannotConnect) }
    }
    #expect(await bench.call(.post, "/api/account/deletion", #"{"confirmation":"DELETE"}"#, as: caller).code == "offline")
    #expect(await bench.call(.get, "/api/state", as: caller).json?["deletion"] == nil)
  }

  @Test func developerToolsNeedTheSwitchAndTheRole() async throws {
    for (flag, role) in [(true, true), (true, false), (false, true)] {
      let bench = try ConsoleHarness()
      bench.backend.state.withLock { state in
        state.features.developerTools = flag
        state.roles = role ? ["user", "developer"] : ["user"]
      }
      let developer = await bench.call(.get, "/api/account", as: try await bench.signedIn()).json?["developer"]
      #expect(developer?["tools"]?.bool == (flag && role))
      #expect(developer?["flag"]?.bool == flag && developer?["role"]?.bool == role)
    }
  }

  @Test(arguments: [(1, 100), (500, 500), (1_000_000, 20_000)])
  func theLogHoldsWhatTheConfigurationSays(asked: Int, held: Int64) async throws {
    let bench = try ConsoleHarness()
    bench.backend.state.withLock { $0.capacity = asked }
    let caller = try await bench.signedIn()
    #expect(await bench.call(.get, "/api/network", as: caller).json?["capacity"]?.int64 == held)
  }
}

extension HTTPField.Name {
  /// The header of a keyed call.
  static let idempotency = HTTPField.Name(BackendHeader.idempotencyKey) ?? .cookie
}
