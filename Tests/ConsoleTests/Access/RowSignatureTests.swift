import Storage
import Support
import Testing
import Text
import Vault

@testable import Console

/// The signatures' bytes, which files of earlier versions contain and which no version may change.
@Suite(.timeLimit(.minutes(2))) struct RowSignatureTests {
  /// A row with its signature by the key of the bytes 0 to 31.
  struct Example: Sendable, CustomTestStringConvertible {
    let table: AccessRows.Table
    let values: [StorageValue]
    let mac: String
    var testDescription: String { mac }
  }

  private static let hash = [UInt8](0..<32)

  /// HMAC-SHA-256, computed by another program from the description of the format.
  static let examples = [
    Example(
      table: .browser, values: ["b1", .real(1_795_262_400.25)],
      mac: "d4d704e11c162754eedce609f61fbdd321017cbcc431de78e1214222180e201b"),
    Example(
      table: .browserCookie, values: [.bytes(hash), "b1", .real(1_795_262_400), 0, nil],
      mac: "8b5c4d48c728fd0f4ed19b7b8f08f26c4d59690bad53a7c9ba9a17a5902bab19"),
    Example(
      table: .browserCookie, values: [.bytes(hash), "b1", .real(1_795_262_400), 1, .real(1_795_262_460.5)],
      mac: "46089e9bd07ee2ad66bbf1dc8eccf5852552654875b02b1d1cda1c266a3c08f0"),
    Example(
      table: .device, values: ["d1", "b1", .bytes(hash), "Télé 📱", .real(1_795_262_400)],
      mac: "c9728444d8d8d0953b1cee639c73bae37fb5d6ff3f6fd28d3ffde94dc6ddc3cf"),
    Example(
      table: .linkState, values: ["d1", .bytes(hash), .real(1_795_262_400)],
      mac: "cecd9b7dfccfb4ffc755d92869d64f3ece778659e02781da165bf74ccf92bd41"),
  ]

  @Test(arguments: StorageEngineKind.allCases, examples)
  func aRowHasTheSameSignatureOnEveryEngine(kind: StorageEngineKind, example: Example) async throws {
    let key = try #require(SealingKey(bytes: Self.hash))
    let log = CapturedLog()
    let rows = AccessRows(key: key, logger: log.logger())
    try await kind.withConsole { storage in
      try await storage.write { transaction in
        // The rows that it refers to, unsigned.
        if example.table != .browser {
          try transaction.execute("INSERT INTO browser (browser_id, seen_at) VALUES ('b1', 0)")
        }
        if example.table == .linkState {
          try transaction.execute(
            "INSERT INTO device (device_id, browser_id, key_hash, name, created_at) VALUES ('d1', 'b1', ?, 'n', 0)", [1 as UInt8])
        }
        try rows.insert(transaction, into: example.table, example.values)
      }
      let (mac, valid) = try await storage.read { transaction in
        (
          try transaction.first("SELECT mac FROM \(example.table.rawValue) WHERE mac IS NOT NULL")?.bytes("mac"),
          try rows.fetch(transaction, example.table, where: "mac IS NOT NULL")
        )
      }
      #expect(mac.map { Hex.encode($0) } == example.mac)
      // Signed anew from what the database gives back.
      try await storage.write { try rows.signAll($0) }
      let again = try await storage.read { try rows.fetch($0, example.table, where: "TRUE") }
      #expect(valid.count == 1 && again.count == 1 && log.lines.isEmpty)
      let read = try example.table.columns.map { try again[0].value($0) }
      #expect(read == example.values)
    }
  }
}
