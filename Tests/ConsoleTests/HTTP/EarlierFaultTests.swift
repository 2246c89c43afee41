import HTTPTypes
import JSON
import Testing

@testable import Console

/// How the console before this one ended: told to the owner, and to nobody else.
@Suite(.timeLimit(.minutes(1))) struct EarlierFaultTests {
  private static let line = "understudy: ended by SIGSEGV at 2026-11-25T10:30:00Z"

  @Test func aLineOfAConsoleIsReadAndForgottenOnceSeen() throws {
    let fault = EarlierFault(note: Self.line)
    #expect(fault.body == .init(signal: "SIGSEGV", at: try #require(Timestamp(parsing: "2026-11-25T10:30:00Z"))))
    fault.see()
    #expect(fault.body == nil)
  }

  @Test(arguments: [
    nil, "", "understudy: ended by SIGSEGV at", "understudy: ended by SIGSEGV at yesterday",
    "understudy: ended by magic at 2026-11-25T10:30:00Z",
    line + " <b>", "x " + line,
  ])
  func anotherTextIsNoNote(_ note: String?) { #expect(EarlierFault(note: note).body == nil) }

  @Test func whoIsNoOwnerIsToldNothing() async throws {
    let fault = EarlierFault(note: Self.line)
    let harness = try await ConsoleHarness(earlierFault: fault)
    let caller = try await harness.caller()
    #expect(await harness.call(.get, "/api/state", as: caller).json?["ended_by_fault"] == nil)
    #expect(await harness.call(.delete, "/api/ended-by-fault", as: caller).status == 404)
    #expect(fault.body != nil)
  }
}
