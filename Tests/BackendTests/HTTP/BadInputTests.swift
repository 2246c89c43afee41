import Foundation
import HTTPTypes
import JSON
import RPC
import Storage
import Support
import Testing

@testable import Backend

/// Every member of every request body with every kind of wrong value: answers a 4xx with a code and changes nothing.
@Suite(.timeLimit(.minutes(2))) struct BadInputTests {
  /// The path of a call and a valid body; `$` marks ids of a signed-in account.
  static let bodies: [(path: String, members: [(String, String)], needsSession: Bool)] = [
    ("/rpc/request_magic_link", [("identifier", "\"a@example.com\""), ("state", "\"s\"")], false),
    ("/rpc/request_login_code", [("identifier", "\"a@example.com\"")], false),
    ("/rpc/login_with_magic_token", [("token", "\"t\""), ("state", "\"s\"")], false),
    ("/rpc/login_with_code", [("identifier", "\"a@example.com\""), ("code", "\"123456\"")], false),
    ("/rpc/refresh_tokens", [("refresh_token", "\"r\"")], false),
    ("/app/api/refresh-token", [("refresh_token", "\"r\"")], false),
    ("/rpc/get_or_create_account_profile", [("account_id", "\"$account\""), ("language_code", "\"de\"")], true),
    ("/rpc/set_active_profile", [("account_id", "\"$account\""), ("language_code", "\"en\"")], true),
    ("/rpc/shuffle_cues", [("profile_id", "\"$profile\"")], true),
    (
      "/rpc/update_cue_stage",
      [("cue_id", "\"$cue\""), ("stage", "\"learning\""), ("base_updated_at", "\"2026-11-21T12:00:00.000Z\"")], true
    ),
    ("/app/api/call/start", [("callee", "\"x\"")], true),
  ]

  /// JSON values and strings that no member accepts, unless the test says so.
  static let values: [(name: String, json: String)] = [
    ("empty", "\"\""), ("10,000 characters", "\"" + String(repeating: "x", count: 10_000) + "\""),
    ("NUL", "\"a\\u0000b\""), ("a line break", "\"a\\r\\nBcc: x@example.com\""), ("a raw control character", "\"a\u{1}b\""),
    ("emoji", "\"👩🏽‍🚀💥\""), ("right to left", "\"\u{202E}مرحبا\""), ("SQL", "\"' OR 1=1; DROP TABLE account; --\""),
    ("HTML", "\"<script>alert(1)</script>\""), ("wildcards", "\"%_\""), ("another's id", "\"$other\""),
    ("a number", "1"), ("a huge number", "123456789012345678901234567890"), ("1e400", "1e400"), ("NaN", "NaN"),
    ("Infinity", "-Infinity"), ("true", "true"), ("an array", "[\"a@example.com\"]"), ("an object", "{\"$ne\":\"\"}"),
    ("half a surrogate", "\"\\ud800\""), ("broken UTF-8 escape", "\"\\x41\""),
    ("deep", String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)),
  ]

  private static func object(_ members: [(String, String)]) -> String {
    let parts = members.map { name, value in "\"\(name)\":\(value)" }
    return "{" + parts.joined(separator: ",") + "}"
  }

  private struct Scene {
    let probe: BackendProbe
    let tokens: TokenPair
    let replacements: [String: String]

    static func make() async throws -> Scene {
      let probe = try await BackendProbe()
      let tokens = try await probe.signIn()
      let other = try await probe.signIn("other@example.com", device: "two")
      let cues = try JSONCoding.decode(CueListBody.self, from: try await probe.cues(tokens).body).cues
      return Scene(
        probe: probe, tokens: tokens,
        replacements: [
          "$account": try await probe.account(tokens).accountID, "$profile": tokens.profile?.profileID ?? "",
          "$cue": cues[0].cueID, "$other": try await probe.account(other, device: "two").accountID,
        ])
    }

    func post(_ path: String, _ text: String, needsSession: Bool) async throws -> BackendProbe.Reply {
      var text = text
      for (name, value) in replacements { text = text.replacingOccurrences(of: name, with: value) }
      return try await probe.post(path, text, token: needsSession ? tokens.accessToken : nil)
    }

    /// All data of the signed-in account.
    func state() async throws -> [String] {
      try await probe.backend.services.storage.read { transaction in
        try ["account", "profile", "cue", "session", "token_pair"].flatMap { table in
          try transaction.rows("SELECT * FROM \(table)").map { "\($0)" }
        }
      }
    }
  }

  @Test(arguments: bodies.indices) func everyMemberOfTheCall(index: Int) async throws {
    let (path, members, needsSession) = Self.bodies[index]
    let scene = try await Scene.make()
    let before = try await scene.state()
    for (place, member) in members.enumerated() {
      for (name, json) in Self.values {
        var parts = members
        parts[place].1 = json
        let text = Self.object(parts)
        let reply = try await scene.post(path, text, needsSession: needsSession)
        // `state` and `callee` may be any text.
        let takesAnyText = member.0 == "callee" || path == "/rpc/request_magic_link" && member.0 == "state"
        if takesAnyText, reply.status == 200 { continue }
        let isRefused = (400..<500).contains(reply.status) && reply.code?.isEmpty == false
        #expect(isRefused, "\(path) \(member.0): \(name) → \(reply.status)")
      }
      var texts = [Self.object(members + [member])]
      // Only `state` is optional.
      if member.0 != "state" { texts.append(Self.object(members.filter { $0.0 != member.0 })) }
      for text in texts {
        let reply = try await scene.post(path, text, needsSession: needsSession)
        #expect(reply.status == 400 && reply.code == "invalid_request", "\(path) \(member.0) missing or twice")
      }
    }
    #expect(try await scene.state() == before, "nothing was changed")
  }

  @Test(arguments: bodies.indices) func everyBodyOfTheCall(index: Int) async throws {
    let (path, members, needsSession) = Self.bodies[index]
    let scene = try await Scene.make()
    let whole = Self.object(members)
    for text in ["", "{", "[]", "null", "1", "\"x\"", "\u{FEFF}" + whole, String(whole.dropLast()), whole + whole, whole + "\0"] {
      let reply = try await scene.post(path, text, needsSession: needsSession)
      #expect(reply.status == 400 && reply.code == "invalid_request", "\(path): \(text.prefix(8))")
    }
    let token = needsSession ? scene.tokens.accessToken : nil
    for type in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/json-seq"] {
      let reply = try await scene.probe.call(.post, path, body: Array(whole.utf8), token: token, type: type)
      #expect(reply.status == 415 && reply.code == "unsupported_media_type")
    }
    let invalid = try await scene.probe.call(.post, path, body: [0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D], token: token)
    #expect(invalid.status == 400)
    let large = Array(repeating: UInt8(ascii: " "), count: ReferenceBackend.bodyLimit + 1)
    #expect(try await scene.probe.call(.post, path, body: large, token: token).code == "payload_too_large")
  }

  @Test(arguments: ["/app/api/logout", "/rpc/request_account_deletion"]) func callsWithoutParameters(path: String) async throws {
    let scene = try await Scene.make()
    for text in ["[]", "null", "1", "{", "{\"a\":1,\"a\":2}", "{\"a\":1e}"] {
      let reply = try await scene.post(path, text, needsSession: true)
      #expect(reply.status == 400 && reply.code == "invalid_request", "\(text)")
    }
    #expect(try await scene.probe.account(scene.tokens).deletionScheduledFor == nil)
  }

  @Test(arguments: ["profile_id", "updated_since"]) func everyParameterOfTheQuery(name: String) async throws {
    let scene = try await Scene.make()
    let own = scene.replacements["$profile"] ?? ""
    for value in ["%00", "%FF", "%F0%9F%92%A5", "%27%20OR%201%3D1", "%25_", "1e400", "NaN", String(repeating: "x", count: 8_000)]
    {
      let query = name == "profile_id" ? "profile_id=\(value)" : "profile_id=\(own)&updated_since=\(value)"
      let reply = try await scene.probe.call(.get, "/rpc/get_cues", token: scene.tokens.accessToken, query: query)
      #expect((400..<500).contains(reply.status) && reply.code != nil, "\(name)=\(value.prefix(20))")
    }
  }

  @Test func invalidDeviceIDs() async throws {
    let scene = try await Scene.make()
    for device in ["", " ", "a b", "ä", "💥", String(repeating: "d", count: 129), "' OR 1=1", "<b>"] {
      let reply = try await scene.probe.post("/rpc/request_login_code", "{\"identifier\":\"a@example.com\"}", device: device)
      #expect(reply.status == 400 && reply.code == "invalid_request", "\(device.prefix(10))")
      #expect(try await scene.probe.me(scene.tokens.accessToken, device: device).code == "ErrDeviceNotRegistered")
    }
  }
}
