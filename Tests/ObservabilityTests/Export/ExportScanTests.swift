import JSON
import Testing
import Text

@testable import Observability
@testable import Redaction

/// The last check of an export: a live secret in any encoding and at any position prevents it from being sent.
@Suite struct ExportScanTests {
  private let registry = SecretRegistry(tagKey: [1])
  private static let token = "aZ09-SecretAccessToken_0123456789-abcdefghijkl"

  init() {
    registry.register(Self.token, kind: .token)
    registry.register("dana@example.com", kind: .email)
  }

  private func digest(_ pieces: [String]) throws -> ExportScan.Digest {
    try ExportScan(registry: registry).digest(
      ExportFile(name: "a.txt", pieceCount: pieces.count) { Array(pieces[$0].utf8) })
  }

  static let encodings: [@Sendable (String) -> String] = [
    { $0 }, { Hex.encode(Array($0.utf8)) }, { Base64.encode(Array($0.utf8)) }, { Base64.encode(Array("x\($0)".utf8)) },
    { "\"" + $0.unicodeScalars.map { "\\u00" + Hex.encode([UInt8($0.value)]) }.joined() + "\"" },
    { $0.utf8.map { "%" + Hex.encode([$0]) }.joined() }, { $0.utf8.map { "%25" + Hex.encode([$0]).uppercased() }.joined() },
  ]

  @Test(arguments: encodings.indices) func aSecretInAnyEncodingIsFound(_ index: Int) {
    for secret in [Self.token, "dana@example.com"] + (index == 0 ? ["Dana@Example.com"] : []) {
      #expect(throws: ExportScan.Refusal(file: "a.txt")) { try digest(["before ", Self.encodings[index](secret), " after"]) }
    }
  }

  @Test func aSecretAcrossPiecesIsFound() {
    let filler = String(repeating: "x", count: 300_000)
    for cut in [1, 20, Self.token.count - 1] {
      #expect(throws: ExportScan.Refusal.self) {
        try digest([filler + " " + Self.token.prefix(cut), Self.token.dropFirst(cut) + " " + filler])
      }
    }
  }

  @Test func aSecretInANameIsFound() {
    let file = ExportFile(name: "curl/\(Self.token).sh") { [] }
    #expect(throws: ExportScan.Refusal(file: "")) { try ExportScan(registry: registry).digest(file) }
  }

  @Test func theProgramsOwnTextIsDigestedButNotSearched() throws {
    let file = { (constant: Set<Int>) in
      ExportFile(name: "a", pieceCount: 2, constantPieces: constant) { Array(($0 == 0 ? Self.token : "b").utf8) }
    }
    #expect(throws: ExportScan.Refusal(file: "a")) { try ExportScan(registry: registry).digest(file([1])) }
    let digest = try ExportScan(registry: registry).digest(file([0]))
    #expect(digest.byteCount == Self.token.utf8.count + 1)
  }

  @Test func whatIsCleanIsDigested() throws {
    let digest = try digest(["ab", "", "c"])
    #expect(digest.sha256 == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" && digest.byteCount == 3)
    #expect(ExportScan(registry: registry).secretCount == 2)
  }

  @Test func aBundleOfMaskedRowsPassesAndOneWithALeakDoesNot() throws {
    let example = ExportExample()
    let scan = ExportScan(registry: example.registry)
    let bundle = ExportBundleTests.bundle(example)
    for file in bundle.files { _ = try scan.digest(file) }
    // Text that was recorded before it was known to be secret.
    example.registry.register("p'1", kind: .key)
    example.registry.register("touch x", kind: .key)
    let leaking = bundle.files.filter { (try? ExportScan(registry: example.registry).digest($0)) == nil }.map(\.name)
    #expect(leaking.contains("report.md") && leaking.contains("session.har") && leaking.contains("rows.json"))
    #expect(leaking.contains("viewer.html") && leaking.contains { $0.hasPrefix("curl/") })
  }
}
