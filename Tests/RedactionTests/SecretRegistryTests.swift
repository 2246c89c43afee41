import Testing
import Text
import Vault

@testable import Redaction

struct SecretRegistryTests {
  private let registry = SecretRegistry(tagKey: [1, 2, 3])

  @Test func aTagIsTheKindAndFourBytesOfTheKeyedDigest() {
    let digest = Hex.encode(Array(Vault.HMAC.sha256(Array("s3cret".utf8), key: [1, 2, 3]).prefix(4)))
    #expect(registry.tag(for: "s3cret", kind: .token) == "‹token:\(digest)›")
    #expect(SecretRegistry(tagKey: [1, 2, 4]).tag(for: "s3cret", kind: .token) != registry.tag(for: "s3cret", kind: .token))
  }

  @Test func equalSecretsHaveEqualTags() {
    registry.register("tok-aaaaaaaa", kind: .token)
    registry.register("tok-bbbbbbbb", kind: .token)
    let masked = registry.mask("tok-aaaaaaaa tok-bbbbbbbb tok%2Daaaaaaaa", context: .general)
    let first = registry.tag(for: "tok-aaaaaaaa", kind: .token)
    #expect(masked.text == "\(first) \(registry.tag(for: "tok-bbbbbbbb", kind: .token)) \(first)")
    #expect(masked.counts == [.token: 3])
  }

  @Test func codesAreMaskedAsWholeWordsInAuthenticationCallsAlone() {
    registry.register("482913", kind: .code)
    let tag = registry.tag(for: "482913", kind: .code)
    #expect(registry.mask("code 482913.", context: .authentication).text == "code \(tag).")
    #expect(registry.mask("\"482913\"", context: .authentication).text == "\"\(tag)\"")
    #expect(registry.mask("x=%34%38%32913&", context: .authentication).text == "x=\(tag)&")
    for text in ["1482913", "4829130", "a482913", "482913b", "482913_", "é482913", "_482913"] {
      #expect(registry.mask(text, context: .authentication).counts.isEmpty)
    }
    #expect(registry.mask("482913", context: .general).counts.isEmpty)
  }

  @Test func aRestChangesNothingButMemory() {
    registry.register("482913", kind: .code)
    registry.register("tok-aaaaaaaa", kind: .token)
    registry.register("Ann.Lee@example.test", kind: .email, spelling: "ann.lee+1@example.test")
    #expect(registry.isResting, "Nothing is prepared before the first search.")
    let text = "code 482913, tok%2Daaaaaaaa, ann.lee%2B1@example.test, dG9rLWFhYWFhYWFh, ann.lee@example.test"
    let masked = registry.mask(text, context: .authentication)
    let (count, generation) = (registry.count, registry.scan().generation)
    #expect(!registry.isResting)
    #expect(masked.counts == [.code: 1, .token: 2, .email: 2])
    registry.rest()
    #expect(registry.isResting)
    #expect(registry.mask(text, context: .authentication).text == masked.text)
    #expect(registry.refill(registry.tag(for: "482913", kind: .code)) == "482913")
    #expect(registry.count == count && registry.scan().generation == generation)
    #expect(registry.contains(secretIn: Array("tok-aaaaaaaa".utf8)))
  }

  @Test func addressesAreFoundInEitherCase() {
    registry.register("Ann.Lee@example.test", kind: .email)
    for text in ["ann.lee@EXAMPLE.test", "ANN.LEE%40EXAMPLE.TEST", "\\u0061nn.lee@example.test"] {
      let masked = registry.mask(text, context: .general)
      #expect(masked.text == registry.tag(for: "ann.lee@example.test", kind: .email))
    }
  }

  @Test func otherSecretsAreNotFoundInAnotherCase() {
    registry.register("AbCdEfGh", kind: .token)
    #expect(registry.mask("abcdefgh", context: .general).counts.isEmpty)
  }

  @Test func aNumberIsKnownWithoutItsSign() {
    registry.register("+491701234567", kind: .phone)
    #expect(
      registry.mask("tel 00491701234567", context: .general).text == "tel 00" + registry.tag(for: "+491701234567", kind: .phone))
  }

  @Test func theOldestRotatesOutAndARepeatedOneStays() {
    for number in 10..<26 { registry.register("token-number-\(number)", kind: .token) }
    registry.register("token-number-10", kind: .token)
    registry.register("token-number-26", kind: .token)
    #expect(registry.mask("token-number-10", context: .general).counts == [.token: 1])
    #expect(registry.mask("token-number-11", context: .general).counts.isEmpty)
    #expect(registry.mask("token-number-26", context: .general).counts == [.token: 1])
  }

  @Test func valuesTooShortToMeanAnythingAreLeftOut() {
    registry.register("", kind: .token)
    registry.register("abc", kind: .token)
    #expect(registry.mask("abc abc", context: .general).text == "abc abc")
  }

  @Test func overlappingSecretsGoTogether() {
    registry.register("aaaa-bbbb-cccc", kind: .token)
    registry.register("bbbb", kind: .key)
    registry.register("cccc-dddd", kind: .key)
    let masked = registry.mask("<aaaa-bbbb-cccc-dddd>", context: .general)
    #expect(masked.text == "<\(registry.tag(for: "aaaa-bbbb-cccc", kind: .token))>")
    #expect(masked.counts == [.token: 1])
  }

  @Test func masksAreRefilledWhileTheirValueIsHeld() {
    registry.register("a&b=c-token", kind: .token)
    let masked = registry.mask("/x?t=a&b=c-token&u=1", context: .general).text
    #expect(!masked.contains("c-token"))
    #expect(registry.refill(masked) == "/x?t=a&b=c-token&u=1")
    #expect(registry.refill(masked) { $0.replacing("&", with: "%26") } == "/x?t=a%26b=c-token&u=1")
    #expect(registry.refill("‹token:00000000›") == nil)
    #expect(registry.refill("‹what:00000000›") == nil)
    for text in [
      "no mask ‹ here", "‹quoted› and ‹what:ever›", "‹token:0000000›", "‹token:0000000G›", "‹a:b:c›", "‹:00000000›", "‹›", "‹‹›",
    ] { #expect(registry.refill(text) == text) }
    #expect(registry.refill("‹" + masked) == "‹/x?t=a&b=c-token&u=1", "a mask after a quotation mark")
    for number in 10..<26 { registry.register("token-number-\(number)", kind: .token) }
    #expect(registry.refill(masked) == nil)
  }

  @Test func textsOfAnyBytesDoNotTrap() {
    registry.register("tok-aaaaaaaa", kind: .token)
    for text in [
      "%", "%4", "%zz", "\\", "\\u", "\\u12", "\\ud83d", "\\ud83d\\u", "%25%", "‹›", "\u{0}", "tok-", "@", "+", "://", "a=",
      "a:\"",
    ] {
      _ = registry.scan().mask(text, context: .authentication, shapes: .all)
    }
    for _ in 0..<300 {
      let alphabet = Array("%25\\u0041tok-aaaaaaaa@+.:/=\"‹›é ".unicodeScalars)
      let text = String(String.UnicodeScalarView((0..<40).map { _ in alphabet[.random(in: alphabet.indices)] }))
      let masked = registry.scan().mask(text, context: .authentication, shapes: .all)
      #expect(!registry.contains(secretIn: Array(masked.text.utf8)))
    }
  }
}
