import Testing

@testable import Composition

@Suite struct CheckShardTests {
  @Test func thePartsAreTheWholeInItsOrder() throws {
    for count in 1...CheckCase.flows.count {
      let parts = try (1...count).map { try #require(CheckShard("\($0)/\(count)")).cases }
      #expect(parts.flatMap { $0.map(\.id) } == CheckCase.all.map(\.id))
      #expect(parts.allSatisfy { !$0.isEmpty }, "\(count)")
    }
  }

  @Test func theChecksOfAFlowStayTogether() throws {
    for count in 1...CheckCase.flows.count {
      let parts = try (1...count).map { Set(try #require(CheckShard("\($0)/\(count)")).cases.map(\.id)) }
      for flow in CheckCase.flows {
        #expect(parts.count { !$0.isDisjoint(with: flow.map(\.id)) } == 1)
      }
    }
  }

  @Test(arguments: [
    "", "1", "0/2", "3/2", "-1/2", "+1/2", "1/0", "1/1000", "1/2/3", "a/b", "1/ 2", "99999999999999999999/2", "１/２",
  ])
  func anythingElseIsRefused(text: String) { #expect(CheckShard(text) == nil) }
}
