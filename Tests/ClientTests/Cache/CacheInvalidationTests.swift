import Domain
import HTTPTypes
import JSON
import RPC
import Support
import Locking
import Testing

@testable import Client

/// Calls that change something invalidate stored responses (RFC 9111 §4.4).
@Suite(.timeLimit(.minutes(1)))
struct CacheInvalidationTests {
  private let origin = "https://backend.test:8443"

  private func paths(
    _ path: String, _ status: Int = 200, _ headers: HTTPFields = [:], method: HTTPRequest.Method = .post
  ) -> Set<String> {
    Set(CacheInvalidation.paths(after: method, path: path, status: status, headers: headers, origin: origin))
  }

  @Test func changesReachWhatTheyChange() {
    let me = AccountEndpoints.Me.path
    let cues = CueEndpoints.GetCues.path
    for path in [
      AccountEndpoints.GetOrCreateProfile.path, AccountEndpoints.SetActiveProfile.path, AccountEndpoints.RequestDeletion.path,
    ] {
      #expect(paths(path).contains(me))
    }
    for path in [CueEndpoints.ShuffleCues.path, CueEndpoints.UpdateCueStage.path] { #expect(paths(path).contains(cues)) }
    #expect(!paths(CueEndpoints.ShuffleCues.path).contains(me))
  }

  @Test func readingAndRefusalsChangeNothing() {
    #expect(paths("/a", method: .get).isEmpty)
    #expect(paths("/a", method: .head).isEmpty)
    for status in [400, 401, 404, 409, 429, 500, 503] { #expect(paths("/a", status).isEmpty) }
    #expect(paths("/a", 303) == ["/a"])
    #expect(paths("/a", 204, method: .delete) == ["/a"])
  }

  @Test func namedLocationsCountWithinTheOriginAlone() {
    #expect(paths("/a", 201, [.location: "/b?c=d#e"]) == ["/a", "/b"])
    #expect(paths("/a", 201, [.contentLocation: "https://BACKEND.test:8443/b"]) == ["/a", "/b"])
    #expect(paths("/a", 201, [.location: "https://other.test:8443/b"]) == ["/a"])
    #expect(paths("/a", 201, [.location: "https://backend.test:84430/b"]) == ["/a"])
    #expect(paths("/a", 201, [.location: "//other.test/b"]) == ["/a"])
  }

  @Test func changedAccountIsNotShownFromBefore() async throws {
    let harness = try CacheHarness()
    try await harness.signIn()
    harness.serveMe()
    _ = try await harness.me().get()
    try await setActiveProfile(harness)
    #expect(await harness.files() == [])
    harness.cut()
    #expect(await harness.me().error == .offline)
  }

  @Test func refusedChangeLeavesWhatIsStored() async throws {
    let harness = try CacheHarness()
    try await harness.signIn()
    harness.serveMe()
    _ = try await harness.me().get()
    harness.backend.on(AccountEndpoints.SetActiveProfile.path) { _ throws(TransportError) in
      ScriptedBackend.error(409, "conflict")
    }
    try? await setActiveProfile(harness)
    harness.cut()
    #expect(try await harness.me().get().source == .cache)
  }

  @Test func everyQueryOfAPathGoes() async throws {
    let harness = try CacheHarness()
    try await harness.signIn()
    let list = CueListBody(cues: [], serverTime: Timestamp(milliseconds: 1_700_000_000_000))
    harness.serve(CueEndpoints.GetCues.path, list, tag: "\"1\"")
    harness.backend.on(CueEndpoints.ShuffleCues.path) { _ throws(TransportError) in
      ScriptedBackend.json(ShuffledCuesBody(cues: []))
    }
    harness.serveMe()
    _ = try await harness.me().get()
    for profile in ["p1", "p2"] { _ = try await harness.get(CueEndpoints.GetCues(profileID: profile)).get() }
    #expect(await harness.files().count == 3)
    _ = try await harness.stack.api.send(CueEndpoints.ShuffleCues(), body: ShuffleRequest(profileID: "p1"))
    #expect(await harness.files().count == 1)
    harness.cut(CueEndpoints.GetCues.path)
    for profile in ["p1", "p2"] { #expect(await harness.get(CueEndpoints.GetCues(profileID: profile)).error == .offline) }
    harness.cut()
    #expect(try await harness.me().get().source == .cache)
  }

  @Test func answerFromBeforeTheChangeIsNotKeptAfterIt() async throws {
    let harness = try CacheHarness()
    try await harness.signIn()
    let gate = Gate()
    harness.backend.on(AccountEndpoints.Me.path) { _ throws(TransportError) in
      await gate.pass()
      return ScriptedBackend.json(CacheHarness.me("u1"), headers: [.eTag: "\"1\""])
    }
    async let early = harness.me()
    await gate.waitForArrivals()
    try await setActiveProfile(harness)
    gate.open()
    #expect(try await early.get().body.userID == "u1")
    #expect(await harness.files() == [])
    harness.cut()
    #expect(await harness.me().error == .offline)
  }

  @Test func earlierAnswerDoesNotReplaceALaterOne() async throws {
    let harness = try CacheHarness()
    try await harness.signIn()
    let gate = Gate()
    harness.backend.on(AccountEndpoints.Me.path) { _ throws(TransportError) in
      await gate.pass()
      return ScriptedBackend.json(CacheHarness.me("early"), headers: [.eTag: "\"1\""])
    }
    async let early = harness.me()
    await gate.waitForArrivals()
    harness.time.advance(by: .seconds(1))
    harness.serveMe("late", tag: "\"2\"")
    _ = try await harness.me().get()
    gate.open()
    #expect(try await early.get().body.userID == "early")
    harness.cut()
    #expect(try await harness.me().get().body.userID == "late")
  }

  private func setActiveProfile(_ harness: CacheHarness) async throws {
    if harness.backend.state.withLock({ $0.handlers[AccountEndpoints.SetActiveProfile.path] }) == nil {
      harness.backend.on(AccountEndpoints.SetActiveProfile.path) { _ throws(TransportError) in
        ScriptedBackend.json(
          ProfileBody(profileID: "p", languageCode: "de", displayName: nil, createdAt: CacheHarness.me("u").createdAt))
      }
    }
    _ = try await harness.stack.api.send(
      AccountEndpoints.SetActiveProfile(), body: ProfileRequest(accountID: "a1", languageCode: "de"))
  }
}
