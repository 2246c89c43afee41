import Foundation
import GRDB
import JSON
import Support
import Testing

extension BackendAttackTests {
  @Test func b28ARepeatedCallHasOneEffectAndABadOneNone() async throws {
    let target = try await Self.target()
    let tokens = try await target.signIn("cues@example.com")
    let key = "0b6f7a52-6a4e-4c19-9e0c-4c41f2c4a028"
    let body = "{\"profile_id\":\"\(tokens.profileID)\"}"
    let shuffled = try await target.post("/rpc/shuffle_cues", body, tokens, key: key)
    let again = BackendTarget.request(
      "POST", "/rpc/shuffle_cues", body, token: tokens.access, fields: ["Idempotency-Key: \(key.uppercased())"])
    for reply in try await target.atOnce(Array(repeating: again, count: 10)) {
      #expect(reply.status == 200 && reply.text == shuffled.text)
    }
    let mismatch = try await target.post("/rpc/shuffle_cues", "{\"profile_id\":\"x\"}", tokens, key: key)
    #expect(mismatch.status == 409 && mismatch.code == "idempotency_mismatch")
    let before = try await target.cues(tokens)
    let cue = try #require(before.json?["cues"]?.elements.first)
    let id = cue["cue_id"]?.string ?? ""
    let stamp = cue["updated_at"]?.string ?? ""
    func update(_ id: String, _ stage: String, _ stamp: String) -> String {
      "{\"cue_id\":\(id),\"stage\":\(stage),\"base_updated_at\":\(stamp)}"
    }
    let goodID = "\"\(id)\""
    let goodStamp = "\"\(stamp)\""
    let bad = [
      update(goodID, "\"Review\"", goodStamp), update(goodID, "\"\"", goodStamp), update(goodID, "3", goodStamp),
      update(goodID, "[\"review\"]", goodStamp), update(goodID, "{\"$ne\":1}", goodStamp), update(goodID, "null", goodStamp),
      update("12345678901234567890123456789012345678901234567890", "\"review\"", goodStamp), update(goodID, "\"review\"", "NaN"),
      update(goodID, "\"review\"", "1e400"), update(goodID, "\"review\"", "\"9999999999-01-01\""),
      "{\"cue_id\":\(goodID)," + update(goodID, "\"review\"", goodStamp).dropFirst(),
      "\u{FEFF}" + update(goodID, "\"review\"", goodStamp),
      String(update(goodID, "\"review\"", goodStamp).dropLast()), String(repeating: "[", count: 10_000),
      String(repeating: "{\"a\":", count: 10_000) + "1" + String(repeating: "}", count: 10_000), "", "null",
    ]
    for text in bad {
      let reply = try await target.post("/rpc/update_cue_stage", text, tokens)
      #expect(reply.status == 400 && reply.code == "invalid_request", "\(text.prefix(60)) → \(reply.status)")
    }
    for huge in [String(repeating: "9", count: 10_000), "' OR '1'='1", "%", "../../etc/passwd"] {
      #expect(
        try await target.post("/rpc/update_cue_stage", update("\"\(huge)\"", "\"review\"", goodStamp), tokens).code
          == "cue_not_found")
    }
    #expect(try await target.cues(tokens).field("etag") == before.field("etag"), "nothing was done")
    let race = BackendTarget.request(
      "POST", "/rpc/update_cue_stage", update(goodID, "\"review\"", goodStamp), token: tokens.access)
    let replies = try await target.atOnce(Array(repeating: race, count: 10))
    #expect(replies.filter { $0.status == 200 }.count == 1 && replies.filter { $0.code == "conflict" }.count == 9)
    #expect(replies.first { $0.status == 409 }?.json?["error"]?["details"]?["cue"]?["stage"]?.string == "review")
  }

  @Test func b29OnlyJSONInAFramingOfHTTPIsRead() async throws {
    let target = try await Self.target()
    let body = "{\"identifier\":\"framing@example.com\",\"unknown\":{\"role\":\"admin\"}}"
    for (type, status) in [
      ("application/json", 200), ("application/json; charset=utf-8", 200), ("APPLICATION/JSON;charset=UTF-8", 200),
      ("application/json, text/plain", 415), ("application/json-patch+json", 415), ("text/json", 415), ("text/plain", 415),
      ("", 415),
    ] {
      let reply = try await target.send("POST", "/rpc/request_magic_link", body, type: type)
      #expect(reply.status == status, "\(type)")
    }
    func framed(_ fields: [String], _ text: String) async throws -> BackendReply {
      let lines = [
        "POST /rpc/request_magic_link HTTP/1.1", "Host: 127.0.0.1", "X-Device-ID: d", "Content-Type: application/json",
      ]
      return try await target.exchange(Array(((lines + fields).joined(separator: "\r\n") + "\r\n\r\n" + text).utf8))
    }
    let chunk = "\(String(body.utf8.count, radix: 16))\r\n\(body)\r\n"
    let chunked = ["Transfer-Encoding: chunked"]
    #expect(try await framed(chunked, chunk + "0\r\n\r\n").status == 200)
    #expect(try await framed(chunked, chunk + "0\r\nX-Device-ID: other\r\n\r\n").status == 200, "a trailer changes nothing")
    #expect(try await framed(chunked, chunk + "0\r\nContent-Length: 5\r\n\r\n").status == 400, "nor does it frame")
    #expect(try await framed(chunked, "zz\r\n\(body)\r\n0\r\n\r\n").status == 400)
    #expect(try await framed(chunked + ["Content-Length: \(body.utf8.count)"], chunk + "0\r\n\r\n").status == 400)
    #expect(try await framed(["Content-Length: 5", "Content-Length: 6"], body).status == 400)
    #expect(try await framed(["Content-Length: 99999999999999999999"], body).status >= 400)
    #expect(try await framed(["Content-Length: \(body.utf8.count)", "Expect: 100-continue"], body).status == 200)
    let large = try await framed(["Content-Length: 1048577"], "{")
    #expect(large.status == 413 && large.code == "payload_too_large")
    // Complete as JSON but incomplete as a message: the last chunk never arrives.
    let port = target.port
    let pem = target.certificatePEM
    try await OwnThread.run {
      let cut = BackendTarget.body("cut-short@example.com")
      let head =
        "POST /rpc/request_magic_link HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Device-ID: d\r\nContent-Type: application/json\r\n"
      for rest in [
        "Transfer-Encoding: chunked\r\n\r\n\(String(cut.utf8.count, radix: 16))\r\n\(cut)\r\n",
        "Content-Length: \(cut.utf8.count + 1)\r\n\r\n\(cut)",
      ] { try BackendConnection(port: port, trusting: pem).send(Array((head + rest).utf8)) }
    }
    // A potential decompression bomb: it is read as it is, and is not JSON.
    let bomb = try await target.exchange(
      BackendTarget.request(
        "POST", "/rpc/request_magic_link", "\u{1F}\u{8B}" + String(repeating: "\0", count: 1000),
        fields: ["Content-Encoding: gzip"]))
    #expect(bomb.status == 400 && bomb.code == "invalid_request")
    let begun = "SELECT count(*) FROM login_challenge WHERE identifier = ?"
    #expect(try await target.count(begun, "cut-short@example.com") == 0, "half a request does nothing")
    #expect(try await target.count(begun, "framing@example.com") == 1)
  }

  @Test func b30SQLIsText() async throws {
    let target = try await Self.target()
    let tokens = try await target.signIn("injection@example.com")
    let accounts = try await target.count("SELECT count(*) FROM account")
    for text in [
      "'; DROP TABLE account; --", "' OR 1=1 --", "%_%", "\\u0000", "\\\"; DELETE FROM session; --", "x' UNION SELECT 1 --",
    ] {
      for (path, body) in [
        ("/rpc/request_magic_link", "{\"identifier\":\"\(text)\"}"),
        ("/rpc/login_with_code", "{\"identifier\":\"\(text)\",\"code\":\"\(text)\"}"),
        ("/rpc/login_with_magic_token", "{\"token\":\"\(text)\",\"state\":\"\(text)\"}"),
        ("/rpc/refresh_tokens", "{\"refresh_token\":\"\(text)\"}"), ("/rpc/shuffle_cues", "{\"profile_id\":\"\(text)\"}"),
        ("/rpc/set_active_profile", "{\"account_id\":\"\(text)\",\"language_code\":\"\(text)\"}"),
      ] {
        let reply = try await target.post(path, body, tokens)
        #expect((400...404).contains(reply.status) && reply.code != nil, "\(path) \(text) → \(reply.status)")
      }
    }
    let mail = try await target.ask("injection@example.com", state: "'; DROP TABLE account; --")
    #expect(mail.link.hasSuffix("&state=%27%3B%20DROP%20TABLE%20account%3B%20--"), "kept word for word")
    #expect(try await target.count("SELECT count(*) FROM account") == accounts)
    #expect(try await target.redeem(link: mail.token).status == 200)
  }

  /// Holds the database's only place for writing from outside during the body.
  private func whileLocked<Value>(_ target: BackendTarget, _ body: () async throws -> Value) async throws -> Value {
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let database = try DatabaseQueue(path: target.folder.file("data/backend.sqlite"), configuration: configuration)
    try await database.writeWithoutTransaction { db in try db.execute(sql: "BEGIN IMMEDIATE") }
    let value = try await body()
    try await database.writeWithoutTransaction { db in try db.execute(sql: "ROLLBACK") }
    return value
  }

  @Test func b30ALockedDatabaseCanBeReadAndIsWaitedFor() async throws {
    let target = try await Self.target()
    let tokens = try await target.signIn("locked@example.com")
    let (read, waiting) = try await whileLocked(target) {
      (try await target.me(tokens.access), Task { try await target.refresh(tokens.refresh) })
    }
    #expect(read.status == 200)
    #expect(try await waiting.value.status == 200)
  }

  /// Takes the ten seconds for which the program waits, so that only runs that measure time include it.
  @Test(.enabled(if: MeasuredTime.isMeasured)) func b30ADatabaseThatStaysLockedIsUnavailable() async throws {
    let target = try await Self.target()
    let tokens = try await target.signIn("stays-locked@example.com")
    let held = try await whileLocked(target) { try await target.refresh(tokens.refresh) }
    #expect(held.status == 503 && held.code == "unavailable" && held.field("retry-after") == "1")
    // After the grace period: if the rotation had been half applied, the family would end here.
    try await target.advance(60)
    #expect(try await target.refresh(tokens.refresh).status == 200)
  }

  @Test func b33AFailureInsideTellsTheRequestsIDAlone() async throws {
    let target = try await Self.target()
    let mail = try await target.ask("inside@example.com")
    try await target.tamper(
      "CREATE TRIGGER broken BEFORE INSERT ON session BEGIN SELECT RAISE(ABORT, 'secret detail of table session'); END")
    let reply = try await target.send(
      "POST", "/rpc/login_with_magic_token", "{\"token\":\"\(mail.token)\"}", fields: ["X-Request-ID: told-in-the-failure"])
    try await target.tamper("DROP TRIGGER broken")
    #expect(reply.status == 500 && reply.code == "internal")
    #expect(reply.json?["error"]?["request_id"]?.string == "told-in-the-failure")
    #expect(reply.field("x-request-id") == "told-in-the-failure")
    for word in ["secret", "session", "sqlite", "insert", ".swift", "/", "trigger"] {
      #expect(!reply.text.lowercased().contains(word))
    }
    let log = try target.log()
    #expect(log.contains("told-in-the-failure") && !log.contains("secret detail"))
    #expect(try await target.redeem(link: mail.token).status == 200, "nothing is half done, and the program keeps running")
  }
}
