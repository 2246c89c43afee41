import HTTPTypes
import Testing

@testable import Redaction
import Support

/// Texts that are not secret stay readable: at least 99 of 100 are unchanged.
struct OverRedactionTests {
  /// A registry as a device has it after some sessions.
  private static let registry: SecretRegistry = {
    let registry = SecretRegistry(tagKey: [1])
    for number in 0..<16 {
      registry.register("kT\(number)q83vASNFZ4mrze8BI0VniavN7wEjRWeJq83\(number)", kind: .token)
      registry.register("rider.\(number)@example.test", kind: .email)
      registry.register("+4917055512\(number + 10)", kind: .phone)
      registry.register("\(481_000 + number * 37)", kind: .code)
    }
    registry.register(whole: "anna", kind: .identifier)
    registry.register(whole: "blue7", kind: .token)
    return registry
  }()

  @Test func nearlyAllTextsStayAsTheyAre() throws {
    let texts = ReadableTexts.all
    try #require(texts.count >= 300)
    let redactor = Redactor(registry: Self.registry)
    var changed: [String] = []
    for text in texts {
      let body = #"{"a":[{"value":"\#(text)"}]}"#
      let message = redactor.redact(.example(isAuthentication: false, body: body)).message
      if message.body != body { changed.append(text) }
    }
    #expect(changed.count * 100 <= texts.count, "\(changed)")
  }

  /// The precheck passes nothing that the full search masks, and passes most harmless texts.
  @Test func theFirstLookMissesNothing() throws {
    let scan = Self.registry.scan()
    let pieces =
      ReadableTexts.all + RedactionRulesTests.examples.map(\.text) + [
        "kT3q83vASNFZ4mrze8BI0VniavN7wEjRWeJq833", "rider.5@example.test", "+491705551215", "481037", " ", "-", "0", "(", ")",
        ":", "=", "://", "@", "+", ".", "_", "/", "token", "https://a.test", "x://b", "/reset/",
        "/Verify-email/", "2reset/", "passwordReset/", "Zq9x11", "?code=", "Bearer ", "eyJ", "170", "5551", "%20", #"\u0041"#,
        "&amp;", "\"", "anna", "ANNA", "blue7", "é", "“", "好",
      ]
    var random = Numbers(state: 42)
    for _ in 0..<6000 {
      let text = (0...Int.random(in: 0..<4, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
      for context in [MaskContext.general, .authentication] where scan.isPlain(text.utf8.span, context: context) {
        #expect(scan.thoroughlyMasked(text, context: context, shapes: .all).text == text)
      }
    }
    let passed = ReadableTexts.all.filter { scan.isPlain($0.utf8.span, context: .general) }.count
    #expect(passed * 10 >= ReadableTexts.all.count * 7)
  }

  private struct Numbers: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ state >> 29
    }
  }
}
