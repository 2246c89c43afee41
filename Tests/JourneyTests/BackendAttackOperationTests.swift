import COpenSSL
import Foundation
import JSON
import Locking
import Support
import Testing

extension BackendAttackTests {
  @Test func b34TheClockGoesForwardAndDoesWhatIsDue() async throws {
    let target = try await Self.target()
    let mail = try await target.ask("clock@example.com")
    let offset = try await target.develop("POST", "/dev/clock", "{\"advance_seconds\":1}")["offset_seconds"]?.int64 ?? 0
    for body in [
      "{\"advance_seconds\":-1}", "{\"advance_seconds\":0}", "{\"advance_seconds\":34560001}", "{\"advance_seconds\":1.5}",
      "{\"advance_seconds\":1e400}", "{\"advance_seconds\":99999999999999999999}", "{\"advance_seconds\":\"60\"}", "{}",
      "{\"reset\":false}", "{\"advance_seconds\":1,\"reset\":true}", "[]",
    ] {
      let reply = try await target.send("POST", "/dev/clock", body, token: BackendTarget.developersToken)
      #expect(reply.status == 400 && reply.code == "invalid_request", "\(body)")
    }
    #expect(try await target.develop("POST", "/dev/clock", "{\"advance_seconds\":1}")["offset_seconds"]?.int64 == offset + 1)
    try await target.advance(600)
    #expect(try await target.redeem(link: mail.token).code == "login_link_invalid")
    #expect(try await target.redeem(code: mail.code, of: mail.to).code == "login_code_invalid")
    let reply = try await target.send("GET", "/rpc/app_config")
    let year = Calendar(identifier: .gregorian).component(.year, from: Date())
    #expect(reply.field("date")?.contains("\(year)") == true, "the clock of HTTP stays the machine's")
  }

  /// A few kills; `make verify` runs two hundred.
  @Test func b35KilledAtAnyPointItLosesNothingThatItAcknowledged() async throws {
    var target = try await BackendTarget.start()
    var tokens = try await target.signIn("killed-often@example.com")
    for round in 0..<6 {
      let running = target
      let presented = tokens
      let port = running.port
      let pem = running.certificatePEM
      let last = try await OwnThread.run {
        let connection = try BackendConnection(port: port, trusting: pem)
        var newest = presented
        // Kills from another thread while this one rotates continuously.
        let rotated = Locked(0)
        Thread.detachNewThread {
          OwnThread.wait { rotated.withLock { $0 > round } }
          _ = running.process.end(by: SIGKILL)
        }
        defer { rotated.withLock { $0 = .max } }
        while true {
          do {
            try connection.send(BackendTarget.request("POST", "/rpc/refresh_tokens", "{\"refresh_token\":\"\(newest.refresh)\"}"))
            guard let next = BackendTokens(try connection.answer()) else { return newest }
            newest = next
            rotated.withLock { $0 += 1 }
          } catch {
            return newest
          }
        }
      }
      _ = try await OwnThread.run { running.process.end(by: SIGKILL) }
      target = try await BackendTarget.start(running.folder)
      let forks = try await target.count(
        """
        SELECT count(*) FROM (SELECT session_id FROM token_pair WHERE superseded_at IS NULL GROUP BY session_id HAVING count(*) > 1)
        """)
      #expect(forks == 0)
      #expect(try await target.me(last.access).status == 200, "acknowledged data is there")
      tokens = try await target.rotate(last.refresh)
    }
  }

  @Test func b36NoCodeIsFixedForAnybody() async throws {
    let target = try await Self.target()
    for identifier in [
      "new@example.com", "many-profiles@example.com", "ana+clerk_test@example.com", "test@example.com", "+15555550100",
    ] {
      for codes in [["000000", "123456", "424242", "111111"], ["999999", "654321", "111222", "121212"]] {
        let mail = try await target.ask(identifier, link: false)
        for code in codes where code != mail.code {
          #expect(try await target.redeem(code: code, of: identifier).code == "login_code_invalid", "\(identifier) \(code)")
        }
      }
    }
  }

  @Test func b37TheCertificateIsForThisMachineAndItsKeyIsServedToNobody() async throws {
    let target = try await Self.target()
    let port = target.port
    let pem = target.certificatePEM
    for version in [TLS1_VERSION, TLS1_1_VERSION] {
      await #expect(throws: BackendConnectionError.self) {
        try await OwnThread.run { _ = try BackendConnection(port: port, trusting: pem, newest: version) }
      }
    }
    try await OwnThread.run { _ = try BackendConnection(port: port, trusting: pem, newest: TLS1_2_VERSION) }
    let certificate = try BackendConnection.certificate(pem)
    defer { X509_free(certificate) }
    var days: Int32 = 0
    var seconds: Int32 = 0
    #expect(ASN1_TIME_diff(&days, &seconds, X509_get0_notBefore(certificate), X509_get0_notAfter(certificate)) == 1)
    #expect(days > 30 && days <= 398)
    for address in ["127.0.0.1", "::1"] { #expect(X509_check_ip_asc(certificate, address, 0) == 1) }
    #expect(X509_check_host(certificate, "localhost", 9, 0, nil) == 1)
    for name in ["example.com", "localhost.example.com"] {
      #expect(X509_check_host(certificate, name, name.utf8.count, 0, nil) == 0)
    }
    #expect(X509_check_ip_asc(certificate, "10.0.0.1", 0) == 0)
    let key = target.folder.file("data/private-key.pem")
    let mode = try FileManager.default.attributesOfItem(atPath: key)[.posixPermissions] as? NSNumber
    #expect(mode?.intValue == 0o600)
    for path in [
      "/private-key.pem", "/data/private-key.pem", "/..%2fprivate-key.pem", "/callback/../private-key.pem", "/backend.sqlite",
    ] {
      let reply = try await target.send("GET", path)
      #expect((400...404).contains(reply.status) && !reply.text.contains("PRIVATE KEY"))
    }
    let other = try await BackendTarget.start()
    #expect(other.certificatePEM != pem, "made for each installation")
    let wrong = other.certificatePEM
    await #expect(throws: BackendConnectionError.self) {
      try await OwnThread.run { _ = try BackendConnection(port: port, trusting: wrong) }
    }
  }

  @Test func b39EveryEventIsWrittenOnceAndWithoutASecret() async throws {
    let target = try await BackendTarget.start(arguments: ["--limits", "relaxed"])
    let mail = try await target.ask("audited@example.com")
    #expect(try await target.send("POST", "/rpc/request_magic_link", BackendTarget.body("audited@example.com")).status == 429)
    _ = try await target.redeem(code: mail.wrongCode, of: mail.to)
    let first = try #require(BackendTokens(try await target.redeem(link: mail.token)))
    let account = try #require(try await target.me(first.access).json?["account_id"]?.string)
    let profile = "{\"account_id\":\"\(account)\",\"language_code\":\"de\"}"
    _ = try await target.post("/rpc/get_or_create_account_profile", profile, first)
    let second = try await target.rotate(first.refresh)
    _ = try await target.rotate(first.refresh)
    _ = try await target.refresh("x")
    try await target.advance(11)
    _ = try await target.refresh(first.refresh)
    let again = try await target.signIn("audited@example.com")
    _ = try await target.post("/rpc/request_account_deletion", "{}", again)
    _ = try await target.post("/app/api/logout", "{}", again)
    try await target.advance(14 * 86_400)
    let log = try target.log()
    let lines = log.split(separator: "\n").filter { $0.contains("event=") }.map(String.init)
    let events = lines.map { line in
      line.components(separatedBy: "event=")[1].prefix { $0.isLetter || $0 == "_" }.description
    }
    let expected = [
      "send_limited", "login_refused", "account_created", "login", "profile_created", "refreshed", "refresh_repeated",
      "refresh_refused", "refresh_reused", "login", "deletion_requested", "logged_out", "account_deleted",
    ]
    #expect(events == expected)
    for secret in [
      mail.token, mail.code, first.access, first.refresh, second.access, second.refresh, again.access, "audited@",
      first.sessionID,
    ] {
      #expect(!log.contains(secret), "\(secret.prefix(4))…")
    }
    #expect(log.contains("session=\(first.sessionID.prefix(8))"))
  }
}
