import HTTPTypes
import JSON
import Logging
import Locking
import Support
import Testing

/// A field that the backend leaves out of the account gets its default and is logged once.
@Suite(.timeLimit(.minutes(2))) struct MissingFieldTests {
  @Test func eachFieldIsLoggedOnceAndTheDefaultShows() async throws {
    let log = CapturedLog()
    let harness = try await ConsoleHarness(logger: log.logger())
    harness.backend.state.withLock { $0.activeProfileID = nil }
    let caller = try await harness.signedIn()
    for _ in 1...3 {
      let account = await harness.call(.get, "/api/account", as: caller)
      #expect(account.status == 200 && account.json?["active_profile"]?["profile_id"]?.string == "profile-en")
    }
    harness.backend.state.withLock { $0.profiles = [] }
    let account = await harness.call(.get, "/api/account", as: caller)
    #expect(account.status == 200 && account.json?["active_profile"] == nil)
    #expect(account.json?["settings"]?["preferred_language_code"]?.string == "en")
    let told = log.lines.filter { $0.message == "the account is incomplete" }
    #expect(told.map { $0.metadata["error"] } == ["missingField(active_profile_id)", "missingField(profiles)"])
    #expect(told.allSatisfy { $0.level == .warning })
  }

  @Test func aCompleteAccountIsNotLogged() async throws {
    let log = CapturedLog()
    let harness = try await ConsoleHarness(logger: log.logger())
    _ = await harness.call(.get, "/api/account", as: try await harness.signedIn())
    #expect(log.lines.allSatisfy { $0.message != "the account is incomplete" })
  }
}
