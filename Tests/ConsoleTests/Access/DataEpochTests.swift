import Client
import Console
import Foundation
import GRDB
import Support
import Testing
import Vault

@Suite struct DataEpochTests {
  let folder: TemporaryFolder
  let database: DatabaseQueue
  let key = SealingKey.random()

  init() throws {
    folder = try TemporaryFolder()
    database = try ConsoleDatabase.open(path: nil)
    try database.write { db in
      try db.execute(sql: "INSERT INTO client_token (device_id, backend_id, sealed) VALUES ('d', 'b', x'00')")
    }
  }

  private var epoch: DataEpoch { DataEpoch(folder: folder.path, key: key, old: nil) }

  private func row() throws -> Data? {
    try database.read { try Data.fetchOne($0, sql: "SELECT sealed FROM vault_secret WHERE name = 'epoch'") }
  }

  private func put(_ row: Data?) throws {
    try database.write { db in
      try db.execute(sql: "DELETE FROM vault_secret WHERE name = 'epoch'")
      if let row { try db.execute(sql: "INSERT INTO vault_secret (name, sealed) VALUES ('epoch', ?)", arguments: [row]) }
    }
  }

  @Test func startsAndStopsAreNotACopy() throws {
    #expect(!epoch.isKept)
    for _ in 1...3 {
      #expect(try !epoch.begin(database))
      try epoch.end(database)
    }
    // Ended by a kill.
    #expect(try !epoch.begin(database))
    #expect(try !epoch.begin(database))
    #expect(epoch.isKept)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["epoch"])
  }

  @Test func aCopiedFileIsACopy() throws {
    #expect(try !epoch.begin(database))
    try epoch.end(database)
    try FileManager.default.copyItem(atPath: folder.file("epoch"), toPath: folder.file("copy"))
    try FileManager.default.removeItem(atPath: folder.file("epoch"))
    try FileManager.default.moveItem(atPath: folder.file("copy"), toPath: folder.file("epoch"))
    #expect(try epoch.begin(database))
    #expect(try !epoch.begin(database), "it is told once")
  }

  @Test func anEarlierDatabaseIsACopy() throws {
    #expect(try !epoch.begin(database))
    let during = try row()
    try epoch.end(database)
    let stopped = try row()
    #expect(try !epoch.begin(database))
    try put(stopped)
    #expect(try epoch.begin(database))
    try epoch.end(database)
    try put(during)
    #expect(try epoch.begin(database))
  }

  @Test func aPartOfTheFolderIsACopy() throws {
    #expect(try !epoch.begin(database))
    try put(nil)
    #expect(try epoch.begin(database))
    try FileManager.default.removeItem(atPath: folder.file("epoch"))
    #expect(try epoch.begin(database))
    try Data([1, 2, 3]).write(to: URL(fileURLWithPath: folder.file("epoch")))
    try put(Data([1, 2, 3]))
    #expect(try epoch.begin(database))
    #expect(try !epoch.begin(database))
  }

  @Test func anotherKindOfFileIsNotRead() throws {
    #expect(try !epoch.begin(database))
    try FileManager.default.moveItem(atPath: folder.file("epoch"), toPath: folder.file("elsewhere"))
    try FileManager.default.createSymbolicLink(atPath: folder.file("epoch"), withDestinationPath: folder.file("elsewhere"))
    #expect(try epoch.begin(database))
  }

  @Test func aNewVaultKeyIsNotACopy() throws {
    #expect(try !epoch.begin(database))
    let new = SealingKey.random()
    #expect(try !DataEpoch(folder: folder.path, key: new, old: key).begin(database))
    #expect(try !DataEpoch(folder: folder.path, key: new, old: nil).begin(database))
    #expect(try epoch.begin(database), "the old key opens it no more")
  }
}
