import Foundation
import Support
import Testing

@testable import Storage

/// Whether a log says that SQLite ignores it.
@Suite struct WriteAheadLogTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A log with changes, as a killed process leaves it.
  private func logOfAKilledProcess() async throws -> [UInt8] {
    let storage = try SQLiteStorage(path: folder.file("open.sqlite"))
    try await storage.write { try $0.execute("CREATE TABLE item (id INTEGER)") }
    return Array(try Data(contentsOf: URL(fileURLWithPath: folder.file("open.sqlite-wal"))))
  }

  private func isDamaged(_ log: [UInt8]) throws -> Bool {
    try Data(log).write(to: URL(fileURLWithPath: folder.file("it.sqlite-wal")))
    return WriteAheadLog.isDamaged(of: folder.file("it.sqlite"))
  }

  @Test func whatSQLiteWroteIsWhole() async throws {
    let log = try await logOfAKilledProcess()
    #expect(log.count > 4096)
    #expect(try !isDamaged(log))
    #expect(try !isDamaged([]))
    #expect(try !isDamaged(Array(log.prefix(31))))
    #expect(!WriteAheadLog.isDamaged(of: folder.file("none.sqlite")))
  }

  @Test func everyChangedByteOfTheHeaderIsNoticed() async throws {
    let log = try await logOfAKilledProcess()
    for place in 0..<32 {
      var changed = log
      changed[place] ^= 0x10
      #expect(try isDamaged(changed), "\(place)")
    }
    #expect(try isDamaged([UInt8](repeating: 0, count: log.count)))
  }
}
