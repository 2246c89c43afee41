import Testing
import Text

@testable import Observability
@testable import Redaction

/// A value that cannot be a secret of its kind is not registered, and does not prevent exports.
struct SecretValidationTests {
  private let registry = SecretRegistry(tagKey: [1])

  @Test(
    arguments: [
      ("http", .phone), ("2026", .phone), ("123456", .phone), ("application/json", .phone), ("1111111111", .phone),
      ("+4917o1234567", .phone), ("1234567890123456", .phone), ("http", .email), ("json", .email), ("@", .email), ("a@b", .email),
      ("GET https://a@b.c", .email), ("a@b@c.de", .email), ("{\"a@b.c\":1}", .email), ("a", .token), ("http", .token),
      ("headers", .token), ("        ", .token), ("the", .code), ("code", .code), ("request", .code), ("1", .code), ("12", .code),
      ("http", .link), ("json", .identifier), (String(repeating: "ab", count: 5000), .token), ("", .key),
    ] as [(String, SecretKind)])
  func whatCannotBeOneIsNoSecret(value: String, kind: SecretKind) {
    registry.register(value, kind: kind)
    #expect(registry.count == 0)
    #expect(registry.mask("a \(value) b", context: .authentication).counts.isEmpty)
  }

  @Test(
    arguments: [
      ("+491701234567", .phone), ("0170 1234567", .phone), ("+1 (555) 010-9999", .phone), ("a@b.co", .email),
      ("Canary.Tester+x9@Example.com", .email), ("ünal@exämple.test", .email), ("aB3dE6gH", .token),
      ("a-refresh-token", .token), ("482913", .code), ("A1B2C3", .code), ("2026", .code), ("dana@example.com", .identifier),
    ] as [(String, SecretKind)])
  func whatCanBeOneIsASecret(value: String, kind: SecretKind) {
    registry.register(value, kind: kind)
    #expect(registry.mask("a \(value) b", context: .authentication).text == "a \(registry.tag(for: value, kind: kind)) b")
  }

  @Test(arguments: [
    "startedDateTime", "httpVersion", "startedDateTimeAndMore", "understudy", "request.headers", "session.har", "text/html",
    "application/json", "Content-Type", "started_at", "<!doctype html>", "document", "    \"name\": ", "_network",
  ])
  func aWordOfTheFormatKeepsNoExport(word: String) throws {
    let example = ExportExample()
    example.registry.register(word, kind: .token)
    example.registry.register("20261121", kind: .phone)
    let bundle = ExportBundleTests.bundle(example).masked(by: example.registry)
    for file in bundle.files { _ = try ExportScan(registry: example.registry).digest(file) }
    // Real secrets are still found.
    #expect(throws: ExportScan.Refusal.self) {
      try ExportScan(registry: example.registry).digest(ExportFile(name: "a") { Array("x \(ExportExample.token) y".utf8) })
    }
  }

  /// What a backend sends first and declares as a secret later is masked in exports.
  @Test func whatBecameKnownLaterIsMaskedInTheExport() throws {
    let example = ExportExample()
    let hidden = "shown-before-it-was-known"
    example.add(body: #"{"a":"\#(hidden)"}"#, answer: #"{"b":"\#(Hex.encode(Array(hidden.utf8)))"}"#, errorDetail: "of \(hidden)")
    example.registry.register(hidden, kind: .token)
    let bundle = ExportBundleTests.bundle(example)
    let scan = ExportScan(registry: example.registry)
    #expect(throws: ExportScan.Refusal.self) { for file in bundle.files { _ = try scan.digest(file) } }
    let masked = bundle.masked(by: example.registry)
    for file in masked.files { _ = try scan.digest(file) }
    let text = String(decoding: (0..<masked.json.pieceCount).flatMap { masked.json.piece($0) }, as: UTF8.self)
    #expect(text.contains(example.registry.tag(for: hidden, kind: .token)) && !text.contains(hidden))
  }
}
