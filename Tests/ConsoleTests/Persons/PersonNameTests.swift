import Domain
import Storage
import Support
import Team
import Testing
import Vault

@testable import Console

/// Whose name is whose: by bytes, as in the database.
@Suite(.timeLimit(.minutes(1))) struct PersonNameTests {
  private let driven = DrivenTime()

  @Test func whatIsNotUTF8IsNobodysName() throws {
    let proxy = try PersonScene.proxy()
    for bytes in [[0xFF], Array("an\u{FFFD}n".utf8), Array("ann".utf8) + [0xC3], [0x61, 0xE9], [0xED, 0xA0, 0x80]] as [[UInt8]] {
      #expect(proxy.name(of: try PersonScene.request(bytes)) == nil, "\(bytes)")
    }
    #expect(proxy.name(of: try PersonScene.request("zo\u{EB}".utf8)) == "zo\u{EB}")
    #expect(!PersonProxy.isName("\u{FFFD}"))
  }

  @Test func namesThatOnlyLookAlikeAreNotOneOwner() throws {
    let composed = "zo\u{EB}"
    let decomposed = "zoe\u{308}"
    #expect(composed == decomposed)
    let proxy = try PersonScene.proxy(owners: [composed])
    #expect(proxy.isOwner(composed) && !proxy.isOwner(decomposed))
    let both = try PersonScene.proxy(owners: [composed, decomposed])
    #expect(both.isOwner(composed) && both.isOwner(decomposed))
  }

  @Test(arguments: StorageEngineKind.allCases) func namesThatOnlyLookAlikeAreTwoPersons(kind: StorageEngineKind) async throws {
    try await kind.withConsole { storage in
      let scene = try PersonScene(storage, key: .random(), wall: driven.time.wall)
      var ids: [String] = []
      for name in ["zo\u{EB}", "zoe\u{308}", "zo\u{EB}", "zoe\u{308}"] { ids.append(try await scene.visit(name).id) }
      #expect(Set(ids).count == 2 && ids[0] == ids[2] && ids[1] == ids[3])
    }
  }

  /// The row that was read before a change must not count after it.
  @Test func aRoleThatChangesDuringAReadCounts() async throws {
    try await StorageEngineKind.sqlite.withConsole { engine in
      let storage = InterruptedStorage(engine)
      let scene = try PersonScene(storage, key: .random(), wall: driven.time.wall)
      let ann = try await scene.visit("ann")
      driven.advance(by: .seconds(6))
      let persons = scene.persons
      storage.interrupt { try await persons.setRole(.viewer, personID: ann.id) }
      #expect(try await scene.visit("ann").role == .tester)
      #expect(try await scene.visit("ann").role == .viewer)
    }
  }
}
