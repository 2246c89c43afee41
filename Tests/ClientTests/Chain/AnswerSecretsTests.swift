import JSON
import Redaction
import Testing

@testable import Client

/// Which members of an answer are registered as secrets before anything of it is stored.
struct AnswerSecretsTests {
  private func registry(after body: String) -> SecretRegistry {
    let registry = SecretRegistry(tagKey: [1])
    registry.learn(fromAnswer: Array(body.utf8))
    return registry
  }

  @Test(arguments: [
    #"{"access_token":"SECRET"}"#, #"{"accessToken":"SECRET"}"#, #"{"ACCESS_TOKEN":"SECRET"}"#, #"{"_refreshToken_":"SECRET"}"#,
    #"{"id_token":"SECRET"}"#, #"{"data":{"idToken":"SECRET"}}"#, #"{"a":1,"tokens":{"b":[],"refresh_token":"SECRET"}}"#,
    // The same names, escaped and with the Kelvin sign, whose lower case is `k`.
    #"{"access\u005ftoken":"SECRET"}"#, #"{"access\u0054oken":"SECRET"}"#, "{\"access_to\u{212A}en\":\"SECRET\"}",
  ])
  func tokensAreRegisteredUnderEverySpelling(body: String) {
    let secret = "tok-8f2c19d4e7"
    let registry = registry(after: body.replacing("SECRET", with: secret))
    #expect(registry.count == 1 && registry.contains(secretIn: Array("x \(secret) y".utf8)))
  }

  @Test func addressesAndNumbersAreRegisteredAsText() {
    let registry = registry(
      after: #"{"email":"ann@example.test","profile":{"phone":491701234567},"E_Mail":"bob\u0040example.test"}"#)
    for secret in ["ann@example.test", "491701234567", "bob@example.test"] {
      #expect(registry.contains(secretIn: Array(secret.utf8)), "\(secret)")
    }
    #expect(registry.count == 3)
  }

  @Test(arguments: [
    #"{"token":"tok-8f2c19d4e7"}"#, #"{"access_tokens":"tok-8f2c19d4e7"}"#, #"{"access_toke":"tok-8f2c19d4e7"}"#,
    #"{"access_token":null}"#, #"{"access_token":{"value":"tok-8f2c19d4e7"}}"#, #"{"access_token":true}"#,
    #"{"access_token":""}"#,
    #"{"a":{"b":{"access_token":"tok-8f2c19d4e7"}}}"#, #"[{"access_token":"tok-8f2c19d4e7"}]"#, #""access_token""#, "not JSON",
  ])
  func nothingElseIsRegistered(body: String) { #expect(registry(after: body).count == 0) }

  @Test func theLatestOfAKindStaysTheLatestHoweverOftenItIsRegistered() {
    let registry = SecretRegistry(tagKey: [1])
    registry.register("token-number-0", kind: .token)
    let generation = registry.scan().generation
    registry.register("token-number-0", kind: .token)
    #expect(registry.scan().generation == generation)
    for number in 1...15 { registry.register("token-number-\(number)", kind: .token) }
    // Registered again, it is the latest and outlives the others.
    registry.register("token-number-0", kind: .token)
    registry.register("token-number-16", kind: .token)
    #expect(registry.contains(secretIn: Array("token-number-0 ".utf8)))
    #expect(registry.count == 16)
  }
}
