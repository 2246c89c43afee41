import JSON
import Testing
import Text
import Vault

@testable import Redaction

/// The stored answer of a login or refresh: its shape can be read, and no value that is not known to be harmless.
@Suite(.timeLimit(.minutes(1)))
struct HiddenValuesTests {
  private let traits = EndpointTraits(
    name: "/rpc/login_with_code", isAuthentication: true, logsResponseBody: true, masksResponseValues: true)

  private func stored(_ body: String) -> (message: RedactedMessage, redactions: [Redaction]) {
    Redactor(registry: SecretRegistry(tagKey: [1])).redact(
      RawResponse(status: 200, headers: [], body: Array(body.utf8)), to: traits)
  }

  @Test func theShapeStaysAndUnknownValuesAreMasked() throws {
    let body =
      #"{"access_token":"aaa","data":{"greeting":"bbb","n":4711,"list":["ccc",{"x":1.5}],"ok":true,"none":null},"#
      + #""token_type":"Bearer","expires_in":900,"expires_at":"2026-01-02T03:04:05.000Z"}"#
    let answer = stored(body)
    let text = try #require(answer.message.body)
    let root = try JSONDocument(parsing: Array(text.utf8)).root
    #expect(root.members.map(\.key) == ["access_token", "data", "token_type", "expires_in", "expires_at"])
    #expect(root["access_token"]?.string?.hasPrefix("‹token:") == true)
    let data = try #require(root["data"])
    #expect(data.members.map(\.key) == ["greeting", "n", "list", "ok", "none"])
    for node in [data["greeting"], data["n"], data["list"]?.elements.first, data["list"]?.elements.last?["x"]] {
      #expect(node?.string?.hasPrefix("‹value:") == true)
    }
    #expect(data["ok"]?.bool == true && data["none"]?.kind == .null)
    #expect(root["token_type"]?.string == "Bearer" && root["expires_in"]?.int64 == 900)
    #expect(root["expires_at"]?.string == "2026-01-02T03:04:05.000Z")
    #expect(answer.redactions.contains { $0.kind == .value && $0.count == 4 })
  }

  @Test func anErrorCanBeRead() throws {
    let body =
      #"{"error":{"code":"login_code_invalid","message":"The code is wrong.","request_id":"r1","details":{"code":"482913","left":4}}}"#
    let text = try #require(stored(body).message.body)
    let error = try #require(JSONDocument(parsing: Array(text.utf8)).root["error"])
    #expect(error["code"]?.string == "login_code_invalid" && error["message"]?.string == "The code is wrong.")
    #expect(error["request_id"]?.string == "r1")
    #expect(error["details"]?["code"]?.string?.hasPrefix("‹code:") == true)
    #expect(error["details"]?["left"]?.string?.hasPrefix("‹value:") == true)
  }

  @Test(arguments: ["<html>secret</html>", "access_token=secret&x=1", "secret", "{\"a\":", "data: {\"a\":\"secret\"}\n\n"])
  func whatIsNoJSONIsNotStored(body: String) {
    #expect(stored(body).message.body == nil && stored(body).message.bodyNote == .unreadable)
  }

  @Test func aBareValueIsMasked() {
    for body in [#""secret""#, "4711", #"["secret"]"#] {
      #expect(stored(body).message.body?.contains("‹value:") == true, "\(body)")
    }
  }

  /// Random words under random names, at any depth, beside names that rules know and inside of harmless ones.
  @Test func noRandomValueIsStored() throws {
    for _ in 0..<300 {
      let secret = Hex.encode(SecureRandom.bytes(6)) + "z"
      let name =
        ["a", "access_token", "accessToken", "refresh-token", "session_id", "jwt", "data", "profile", "id", "x1"]
        .randomElement() ?? "a"
      var body = Bool.random() ? "\"\(secret)\"" : "[\"\(secret)\"]"
      for outer in [name]
        + (0..<Int.random(in: 0...3)).map({ _ in
          ["error", "code", "message", "expires_in", "token_type", "token", "b"].randomElement() ?? "b"
        })
      {
        body = Bool.random() ? "{\"\(outer)\":\(body),\"n\":1}" : "[{\"\(outer)\":\(body)}]"
      }
      let text = try #require(stored(body).message.body)
      #expect(!text.contains(secret), "\(body) became \(text)")
    }
  }
}
