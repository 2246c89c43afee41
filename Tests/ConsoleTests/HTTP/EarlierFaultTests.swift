import HTTPTypes
import JSON
import Locking
import Testing

@testable import Console

/// How an earlier console ended: told to the owner, and to nobody else.
@Suite(.timeLimit(.minutes(1))) struct EarlierFaultTests {
  private static let line = "understudy: ended by SIGSEGV at 2026-11-25T10:30:00Z"

  @Test func aLineOfAConsoleIsReadAndForgottenOnceSeen() throws {
    let fault = EarlierFault(note: Self.line)
    #expect(fault.body?.signal == "SIGSEGV" && fault.body?.at == Timestamp(parsing: "2026-11-25T10:30:00Z"))
    fault.markSeen()
    #expect(fault.body == nil)
  }

  @Test func theFunctionIsReadIfThereIsOne() {
    let fault = EarlierFault(note: Self.line + " in $s7Console4wakeyyF")
    #expect(fault.body?.function == "$s7Console4wakeyyF" && EarlierFault(note: Self.line).body?.function == nil)
  }

  @Test(arguments: [
    nil, "", "understudy: ended by SIGSEGV at", "understudy: ended by SIGSEGV at yesterday",
    "understudy: ended by magic at 2026-11-25T10:30:00Z",
    line + " <b>", "x " + line, line + " of f", line + " in f g",
  ])
  func anotherTextIsNoNoteAndIsRemoved(_ note: String?) {
    let removed = Locked(false)
    #expect(EarlierFault(note: note) { removed.withLock { $0 = true } }.body == nil)
    #expect(removed.withLock { $0 } == (note != nil))
  }

  @Test func anOwnerIsToldUntilItWasSeen() async throws {
    let removed = Locked(0)
    let fault = EarlierFault(note: Self.line) { removed.withLock { $0 += 1 } }
    let harness = try await ConsoleHarness(proxy: PersonScene.proxy(), earlierFault: fault)
    var caller = ConsoleHarness.Caller(fields: [("X-Person", "olga"), ("X-Understudy-Proxy-Secret", "secret")])
    caller.key = try #require(await harness.call(.post, "/api/devices", "{}", as: caller).json?["device_key"]?.string)
    for _ in 0..<2 {
      let told = await harness.call(.get, "/api/state", as: caller).json?["ended_by_fault"]
      #expect(told?["signal"]?.string == "SIGSEGV" && told?["at"]?.string == "2026-11-25T10:30:00.000Z")
    }
    #expect(removed.withLock { $0 } == 0)
    for _ in 0..<2 { #expect(await harness.call(.delete, "/api/ended-by-fault", as: caller).status == 204) }
    #expect(await harness.call(.get, "/api/state", as: caller).json?["ended_by_fault"] == nil)
    #expect(removed.withLock { $0 } == 1)
  }

  @Test func whoIsNoOwnerIsToldNothing() async throws {
    let fault = EarlierFault(note: Self.line)
    let harness = try await ConsoleHarness(earlierFault: fault)
    let caller = try await harness.caller()
    #expect(await harness.call(.get, "/api/state", as: caller).json?["ended_by_fault"] == nil)
    #expect(await harness.call(.delete, "/api/ended-by-fault", as: caller).status == 404)
    #expect(fault.body != nil)
  }
}
