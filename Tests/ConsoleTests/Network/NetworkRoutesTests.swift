import HTTPTypes
import JSON
import Testing

@testable import Console

/// The routes that pin rows and search through bodies.
@Suite(.timeLimit(.minutes(1))) struct NetworkRoutesTests {
  private func rows(_ bench: ConsoleHarness, _ caller: ConsoleHarness.Caller) async -> [JSONNode] {
    await bench.call(.get, "/api/network", as: caller).json?["events"]?.elements ?? []
  }

  @Test func aRowIsPinnedAndUnpinned() async throws {
    let bench = try ConsoleHarness()
    let caller = try await bench.signedIn()
    let id = try #require(await rows(bench, caller).first?["id"]?.string)
    let answer = await bench.call(.post, "/api/network/\(id)/pin", #"{"pinned":true}"#, as: caller)
    #expect(answer.status == 200 && answer.json?["is_pinned"]?.bool == true && answer.json?["id"]?.string == id)
    #expect(await rows(bench, caller).first?["is_pinned"]?.bool == true)
    #expect(await bench.call(.post, "/api/network/\(id)/pin", #"{"pinned":false}"#, as: caller).json?["is_pinned"]?.bool == false)
    #expect(await bench.call(.post, "/api/network/\(id)/pin", #"{"pinned":"yes"}"#, as: caller).status == 400)
    #expect(await bench.call(.post, "/api/network/unknown/pin", #"{"pinned":true}"#, as: caller).code == "not_found")
  }

  @Test func pinsOfOneRowTooManyAreAConflict() async throws {
    let bench = try ConsoleHarness()
    let caller = try await bench.signedIn()
    for _ in 0...100 { _ = await bench.call(.get, "/api/account", as: caller) }
    var answers: [Int] = []
    for row in await rows(bench, caller).prefix(101) {
      answers.append(
        await bench.call(.post, "/api/network/\(row["id"]?.string ?? "")/pin", #"{"pinned":true}"#, as: caller).status)
    }
    #expect(answers == [Int](repeating: 200, count: 100) + [409])
  }

  @Test func bodiesAreSearched() async throws {
    let bench = try ConsoleHarness()
    let caller = try await bench.signedIn()
    _ = await bench.call(.get, "/api/account", as: caller)
    let wanted = await rows(bench, caller).filter { $0["endpoint"]?.string == "app_config" }.compactMap { $0["seq"]?.int64 }
    try #require(!wanted.isEmpty)
    let answer = await bench.call(.get, "/api/network/search?body=DEFAULT_language_code", as: caller)
    #expect(answer.status == 200 && answer.json?["done"]?.bool == true)
    #expect(answer.json?["matches"]?.elements.compactMap(\.int64) == wanted)
    #expect(answer.json?["next"]?.int64 == (await rows(bench, caller).last?["seq"]?.int64))
    let later = await bench.call(
      .get, "/api/network/search?body=default_language_code&after=\(wanted[wanted.count - 1])", as: caller)
    #expect(later.json?["matches"]?.elements.isEmpty == true)
  }

  @Test(arguments: [
    "", "?body=", "?body=a&after=-1", "?body=a&after=18446744073709551616", "?body=" + String(repeating: "a", count: 1001),
  ])
  func aSearchThatCannotBeReadIsRefused(query: String) async throws {
    let bench = try ConsoleHarness()
    let caller = try await bench.caller()
    #expect(await bench.call(.get, "/api/network/search" + query, as: caller).code == "invalid_request")
  }
}
