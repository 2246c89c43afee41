import HTTPTypes
import JSON
import Testing

@testable import Console

/// The routes that pin rows and search through bodies.
@Suite(.timeLimit(.minutes(1))) struct NetworkRoutesTests {
  private func rows(_ harness: ConsoleHarness, _ caller: ConsoleHarness.Caller) async -> [JSONNode] {
    await harness.call(.get, "/api/network", as: caller).json?["events"]?.elements ?? []
  }

  @Test func aRowIsPinnedAndUnpinned() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    let id = try #require(await rows(harness, caller).first?["id"]?.string)
    let answer = await harness.call(.post, "/api/network/\(id)/pin", #"{"pinned":true}"#, as: caller)
    #expect(answer.status == 200 && answer.json?["is_pinned"]?.bool == true && answer.json?["id"]?.string == id)
    #expect(await rows(harness, caller).first?["is_pinned"]?.bool == true)
    #expect(
      await harness.call(.post, "/api/network/\(id)/pin", #"{"pinned":false}"#, as: caller).json?["is_pinned"]?.bool == false)
    #expect(await harness.call(.post, "/api/network/\(id)/pin", #"{"pinned":"yes"}"#, as: caller).status == 400)
    #expect(await harness.call(.post, "/api/network/unknown/pin", #"{"pinned":true}"#, as: caller).code == "not_found")
  }

  @Test func aClearedLogIsBroughtBackOnce() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    let before = await rows(harness, caller).compactMap { $0["id"]?.string }
    try #require(!before.isEmpty)
    #expect(await harness.call(.post, "/api/network/undo", as: caller).code == "not_found", "nothing was cleared yet")
    let answer = await harness.call(.delete, "/api/network", as: caller)
    #expect(answer.status == 200 && answer.json?["undo_until"]?.string != nil)
    #expect(await rows(harness, caller).isEmpty)
    #expect(await harness.call(.post, "/api/network/undo", as: caller).status == 204)
    #expect(await rows(harness, caller).compactMap { $0["id"]?.string } == before)
    #expect(await harness.call(.post, "/api/network/undo", as: caller).code == "not_found")
  }

  @Test func tooManyPinsAreAConflict() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    for _ in 0...100 { _ = await harness.call(.get, "/api/account", as: caller) }
    var answers: [Int] = []
    for row in await rows(harness, caller).prefix(101) {
      answers.append(
        await harness.call(.post, "/api/network/\(row["id"]?.string ?? "")/pin", #"{"pinned":true}"#, as: caller).status)
    }
    #expect(answers == [Int](repeating: 200, count: 100) + [409])
  }

  @Test func bodiesAreSearched() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    _ = await harness.call(.get, "/api/account", as: caller)
    let wanted = await rows(harness, caller).filter { $0["endpoint"]?.string == "app_config" }.compactMap { $0["seq"]?.int64 }
    try #require(!wanted.isEmpty)
    let answer = await harness.call(.get, "/api/network/search?body=DEFAULT_language_code", as: caller)
    #expect(answer.status == 200 && answer.json?["done"]?.bool == true)
    #expect(answer.json?["matches"]?.elements.compactMap(\.int64) == wanted)
    #expect(answer.json?["next"]?.int64 == (await rows(harness, caller).last?["seq"]?.int64))
    let later = await harness.call(
      .get, "/api/network/search?body=default_language_code&after=\(wanted[wanted.count - 1])", as: caller)
    #expect(later.json?["matches"]?.elements.isEmpty == true)
  }

  @Test func headersAreSearched() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    let all = await rows(harness, caller).compactMap { $0["seq"]?.int64 }
    let answer = await harness.call(.get, "/api/network/search?header=content-type%3DJSON", as: caller)
    #expect(answer.json?["matches"]?.elements.isEmpty == false)
    let later = await harness.call(.get, "/api/network/search?header=content-type&after=\(all.last ?? 0)", as: caller)
    #expect(later.status == 200 && later.json?["matches"]?.elements.isEmpty == true)
    // The console's own requests are in a log of their own.
    let own = await harness.call(.get, "/api/network/search?header=content-type&source=tool", as: caller)
    #expect(own.status == 200)
  }

  @Test(arguments: [
    "", "?body=", "?header=", "?body=a&after=-1", "?body=a&after=18446744073709551616",
    "?body=" + String(repeating: "a", count: 1001),
  ])
  func anInvalidSearchIsRefused(query: String) async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.caller()
    #expect(await harness.call(.get, "/api/network/search" + query, as: caller).code == "invalid_request")
  }
}
