import Client
import Console
import Foundation
import Storage
import Support
import Team
import Testing
import Vault

@Suite struct DataEpochTests {
  let folder: TemporaryFolder
  let storage: SQLiteStorage
  let key = SealingKey.random()

  init() async throws {
    folder = try TemporaryFolder()
    storage = try await ConsoleDatabase.open(path: nil, teamTables: PersonSchema.tables)
    try await storage.write {
      try $0.run(script: "INSERT INTO client_token (device_id, backend_id, sealed) VALUES ('d', 'b', x'00')")
    }
  }

  private var epoch: DataEpoch { DataEpoch(folder: folder.path, key: key, old: nil) }

  private func row() async throws -> [UInt8]? {
    try await storage.read { try $0.first("SELECT sealed FROM vault_secret WHERE name = 'epoch'")?.bytes("sealed") }
  }

  private func put(_ row: [UInt8]?) async throws {
    try await storage.write { transaction in
      try transaction.execute("DELETE FROM vault_secret WHERE name = 'epoch'")
      if let row { try transaction.execute("INSERT INTO vault_secret (name, sealed) VALUES ('epoch', ?)", row) }
    }
  }

  @Test func startsAndStopsAreNotACopy() async throws {
    #expect(!epoch.isKept)
    for _ in 1...3 {
      #expect(try await epoch.begin(storage) == .continued)
      try await epoch.end(storage)
    }
    // Ended by a kill.
    #expect(try await epoch.begin(storage) == .continued)
    #expect(try await epoch.begin(storage) == .continued)
    #expect(epoch.isKept)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["epoch"])
  }

  @Test func aCopiedFileIsACopy() async throws {
    #expect(try await epoch.begin(storage) == .continued)
    try await epoch.end(storage)
    try FileManager.default.copyItem(atPath: folder.file("epoch"), toPath: folder.file("copy"))
    try FileManager.default.removeItem(atPath: folder.file("epoch"))
    try FileManager.default.moveItem(atPath: folder.file("copy"), toPath: folder.file("epoch"))
    #expect(try await epoch.begin(storage) == .copied)
    #expect(try await epoch.begin(storage) == .continued, "it is told once")
  }

  @Test func anEarlierDatabaseIsACopy() async throws {
    #expect(try await epoch.begin(storage) == .continued)
    let during = try await row()
    try await epoch.end(storage)
    let stopped = try await row()
    #expect(try await epoch.begin(storage) == .continued)
    try await put(stopped)
    #expect(try await epoch.begin(storage) == .databaseBehind)
    try await epoch.end(storage)
    try await put(during)
    #expect(try await epoch.begin(storage) == .databaseBehind)
  }

  @Test func aPartOfTheFolderIsACopy() async throws {
    #expect(try await epoch.begin(storage) == .continued)
    try await put(nil)
    #expect(try await epoch.begin(storage) == .databaseBehind)
    try FileManager.default.removeItem(atPath: folder.file("epoch"))
    #expect(try await epoch.begin(storage) == .copied)
    try Data([1, 2, 3]).write(to: URL(fileURLWithPath: folder.file("epoch")))
    try await put([1, 2, 3])
    #expect(try await epoch.begin(storage) == .copied)
    #expect(try await epoch.begin(storage) == .continued)
  }

  @Test func anotherKindOfFileIsNotRead() async throws {
    #expect(try await epoch.begin(storage) == .continued)
    try FileManager.default.moveItem(atPath: folder.file("epoch"), toPath: folder.file("elsewhere"))
    try FileManager.default.createSymbolicLink(atPath: folder.file("epoch"), withDestinationPath: folder.file("elsewhere"))
    #expect(try await epoch.begin(storage) == .copied)
  }

  @Test func aNewVaultKeyIsNotACopy() async throws {
    #expect(try await epoch.begin(storage) == .continued)
    let new = SealingKey.random()
    #expect(try await DataEpoch(folder: folder.path, key: new, old: key).begin(storage) == .continued)
    #expect(try await DataEpoch(folder: folder.path, key: new, old: nil).begin(storage) == .continued)
    #expect(try await epoch.begin(storage) == .copied, "the old key opens it no more")
  }
}
