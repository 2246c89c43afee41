import Domain
import HTTPTypes
import RPC
import Support
import Locking
import Testing

@testable import Client

/// Calls that change something make stored answers untrue (RFC 9111 §4.4).
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
    let bench = try CacheHarness()
    try await bench.signIn()
    bench.serveMe()
    _ = try await bench.me().get()
    try await setActiveProfile(bench)
    #expect(await bench.files() == [])
    bench.cut()
    #expect(await bench.me().error == .offline)
  }

  @Test func refusedChangeLeavesWhatIsStored() async throws {
    let bench = try CacheHarness()
    try await bench.signIn()
    bench.serveMe()
    _ = try await bench.me().get()
    bench.backend.on(AccountEndpoints.SetActiveProfile.path) { _ throws(TransportError) in ScriptedBackend.error(409, "conflict")
    }
    try? await setActiveProfile(bench)
    bench.cut()
    #expect(try await bench.me().get().source == .cache)
  }

  @Test func everyQueryOfAPathGoes() async throws {
    let bench = try CacheHarness()
    try await bench.signIn()
    let list = CueListBody(cues: [], serverTime: CacheHarness.me("u").createdAt)
    bench.serve(CueEndpoints.GetCues.path, list, tag: "\"1\"")
    bench.backend.on(CueEndpoints.ShuffleCues.path) { _ throws(TransportError) in
      ScriptedBackend.json(ShuffledCuesBody(cues: []))
    }
    bench.serveMe()
    _ = try await bench.me().get()
    for profile in ["p1", "p2"] { _ = try await bench.get(CueEndpoints.GetCues(profileID: profile)).get() }
    #expect(await bench.files().count == 3)
    _ = try await bench.stack.api.send(CueEndpoints.ShuffleCues(), body: ShuffleRequest(profileID: "p1"))
    #expect(await bench.files().count == 1)
    bench.cut(CueEndpoints.GetCues.path)
    for profile in ["p1", "p2"] { #expect(await bench.get(CueEndpoints.GetCues(profileID: profile)).error == .offline) }
    bench.cut()
    #expect(try await bench.me().get().source == .cache)
  }

  @Test func answerFromBeforeTheChangeIsNotKeptAfterIt() async throws {
    let bench = try CacheHarness()
    try await bench.signIn()
    let gate = Gate()
    bench.backend.on(AccountEndpoints.Me.path) { _ throws(TransportError) in
      await gate.pass()
      return ScriptedBackend.json(CacheHarness.me("u1"), headers: [.eTag: "\"1\""])
    }
    async let early = bench.me()
    await gate.waitForArrivals()
    try await setActiveProfile(bench)
    gate.open()
    #expect(try await early.get().body.userID == "u1")
    #expect(await bench.files() == [])
    bench.cut()
    #expect(await bench.me().error == .offline)
  }

  @Test func earlierAnswerDoesNotReplaceALaterOne() async throws {
    let bench = try CacheHarness()
    try await bench.signIn()
    let gate = Gate()
    bench.backend.on(AccountEndpoints.Me.path) { _ throws(TransportError) in
      await gate.pass()
      return ScriptedBackend.json(CacheHarness.me("early"), headers: [.eTag: "\"1\""])
    }
    async let early = bench.me()
    await gate.waitForArrivals()
    bench.time.advance(by: .seconds(1))
    bench.serveMe("late", tag: "\"2\"")
    _ = try await bench.me().get()
    gate.open()
    #expect(try await early.get().body.userID == "early")
    bench.cut()
    #expect(try await bench.me().get().body.userID == "late")
  }

  private func setActiveProfile(_ bench: CacheHarness) async throws {
    if bench.backend.state.withLock({ $0.handlers[AccountEndpoints.SetActiveProfile.path] }) == nil {
      bench.backend.on(AccountEndpoints.SetActiveProfile.path) { _ throws(TransportError) in
        ScriptedBackend.json(
          ProfileBody(profileID: "p", languageCode: "de", displayName: nil, createdAt: CacheHarness.me("u").createdAt))
      }
    }
    _ = try await bench.stack.api.send(
      AccountEndpoints.SetActiveProfile(), body: ProfileRequest(accountID: "a1", languageCode: "de"))
  }
}
