import Console
import Domain
import Storage
import Support
import Team
import Testing
import Vault

/// The stores of persons and of what they change, on both engines.
@Suite(.timeLimit(.minutes(2))) struct PersonStoreTests {
  let driven = DrivenTime()
  let key = SealingKey.random()

  private func withScene(_ kind: StorageEngineKind, _ body: (TeamScene) async throws -> Void) async throws {
    try await kind.withTeam { storage in try await body(try scene(storage)) }
  }

  private func scene(_ storage: any StorageEngine) throws -> TeamScene {
    try TeamScene(storage, key: key, wall: driven.time.wall)
  }

  @Test(arguments: StorageEngineKind.allCases) func whoComesAtOnceOnTwoConsolesIsOnePerson(kind: StorageEngineKind) async throws {
    try await withScene(kind) { first in
      let second = try scene(first.storage)
      let ids = try await withThrowingTaskGroup(of: String.self) { group in
        for number in 0..<16 {
          group.addTask { try await (number.isMultiple(of: 2) ? first : second).visit("ann").id }
        }
        return try await group.reduce(into: Set<String>()) { $0.insert($1) }
      }
      #expect(ids.count == 1 && ids.first?.isEmpty == false)
      #expect(try await first.persons.all().map(\.person.name) == ["ann"])
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func anotherConsolesRoleCountsWithinSeconds(kind: StorageEngineKind) async throws {
    try await withScene(kind) { here in
      let there = try scene(here.storage)
      let ann = try await here.visit("ann")
      _ = try await there.visit("ann")
      #expect(try await here.persons.setRole(.viewer, personID: ann.id))
      #expect(try await here.visit("ann").role == .viewer)
      driven.advance(by: .seconds(6))
      #expect(try await there.visit("ann").role == .viewer)
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func nobodyBecomesAnOwnerByWritingToTheDatabase(kind: StorageEngineKind)
    async throws
  {
    try await withScene(kind) { scene in
      _ = try await scene.visit("ann")
      try await scene.storage.write { try $0.execute("UPDATE person SET role = 'owner'") }
      let later = try self.scene(scene.storage)
      #expect(try await later.visit("ann").role == .tester)
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func whoIsNotSeenFor90DaysIsForgotten(kind: StorageEngineKind) async throws {
    try await withScene(kind) { scene in
      let old = try await scene.visit("ann").id
      let kept = try await scene.visit("ben").id
      driven.advance(by: .seconds(60 * 86_400))
      #expect(try await scene.visit("ben").id == kept)
      driven.advance(by: .seconds(31 * 86_400))
      _ = try await scene.store.makeBrowser()
      #expect(try await scene.persons.all().map(\.person.name) == ["ben"])
      let new = try await scene.visit("ann").id
      #expect(new != old)
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func anAccountIsTakenByOnePersonAtATime(kind: StorageEngineKind) async throws {
    try await withScene(kind) { scene in
      let names = ["ann", "ben", "cem", "dua"]
      var persons: [Person] = []
      for name in names { persons.append(try await scene.visit(name)) }
      let leases = AccountLeases(storage: scene.storage, backendID: "backend", tagKey: [1, 2, 3], wall: driven.time.wall)
      let identifier = try Identifier(normalizing: "dana@example.com")
      let holders = await withTaskGroup(of: String?.self) { group in
        for person in persons { group.addTask { try? await leases.reserve(identifier, person, minutes: 10).person } }
        return await group.reduce(into: [String]()) { if let name = $1 { $0.append(name) } }
      }
      #expect(holders.count == 1)
      let rows = try await scene.storage.read { try $0.rows("SELECT * FROM account_lease").map { "\($0)" } }
      #expect(rows.count == 1 && !rows.joined().contains("dana"))
      let holder = try #require(persons.first { $0.name == holders.first })
      let other = try #require(persons.first { $0.name != holders.first })
      // Others have it, and none of another backend.
      let elsewhere = AccountLeases(storage: scene.storage, backendID: "other", tagKey: [1, 2, 3], wall: driven.time.wall)
      for (leases, person, isTaken) in [
        (leases, other as Person?, true), (leases, holder, false), (leases, nil, true), (elsewhere, other, false),
      ] {
        #expect(try await leases.isAnyReserved(besidesBy: person?.id) == isTaken)
      }
      // Whoever has it may go on with it; when it ends, anybody may take it.
      driven.advance(by: .seconds(300))
      #expect(try await leases.reserve(identifier, holder, minutes: 10).person == holder.name)
      await #expect(throws: PersonError.self) { try await leases.check(identifier, personID: nil) }
      driven.advance(by: .seconds(600))
      try await leases.check(identifier, personID: other.id)
      #expect(try await leases.all().isEmpty)
      #expect(try await !leases.isAnyReserved(besidesBy: nil))
      #expect(try await leases.reserve(identifier, other, minutes: 1).person == other.name)
      // With the person, the lease goes.
      try await scene.persons.delete(personID: other.id)
      try await leases.check(identifier, personID: holder.id)
      for number in 0..<AccountLeases.personLimit {
        _ = try await leases.reserve(try Identifier(normalizing: "a\(number)@example.com"), holder, minutes: 1)
      }
      await #expect(throws: PersonError.tooManyAccounts(AccountLeases.personLimit)) {
        try await leases.reserve(identifier, holder, minutes: 1)
      }
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func anEndOutOfRangeInTheDatabaseIsHarmless(kind: StorageEngineKind) async throws {
    try await withScene(kind) { scene in
      let ann = try await scene.visit("ann")
      let ben = try await scene.visit("ben")
      let leases = AccountLeases(storage: scene.storage, backendID: "backend", tagKey: [1, 2, 3], wall: driven.time.wall)
      let identifier = try Identifier(normalizing: "dana@example.com")
      _ = try await leases.reserve(identifier, ann, minutes: 10)
      try await scene.storage.write { try $0.execute("UPDATE account_lease SET until_at = ?", 1e300) }
      let taken = PersonError.accountTaken(by: "ann", until: 1e12, retryAfterSeconds: AccountLeases.minutesLimit * 60)
      await #expect(throws: taken) { try await leases.check(identifier, personID: ben.id) }
      await #expect(throws: taken) { try await leases.reserve(identifier, ben, minutes: 10) }
      #expect(try await leases.all().count == 1)
    }
  }

  @Test(arguments: StorageEngineKind.allCases) func aChangeIsWrittenDownBeforeItIsMade(kind: StorageEngineKind) async throws {
    try await withScene(kind) { scene in
      let ann = try await scene.visit("ann")
      let first = try await scene.note(ann)
      let second = try await scene.note(ann, deviceID: "device")
      try await scene.log.end(second, status: 204)
      let entries = try await scene.log.entries(after: 0)
      #expect(entries.map(\.entry) == [first, second] && entries.map(\.status) == [nil, 204])
      #expect(entries.map(\.deviceID) == [nil, "device"])
      driven.advance(by: .seconds(366 * 86_400))
      let last = try await scene.note(ann)
      try await scene.log.prune()
      #expect(try await scene.log.entries(after: 0).map(\.entry) == [last])
    }
  }
}
