import Foundation
import JSON
import Support
import Testing

extension BackendAttackTests {
  @Test func b01KnownUnknownLeavingAndLimitedIdentifiersAreAnsweredAlike() async throws {
    let folder = try TemporaryFolder()
    var target = try await BackendTarget.start(folder)
    _ = try await target.signIn("known@example.com")
    let leaving = try await target.signIn("leaving@example.com")
    #expect(try await target.post("/rpc/request_account_deletion", "{}", leaving).status == 202)
    let gone = try await target.signIn("gone@example.com")
    #expect(try await target.post("/rpc/request_account_deletion", "{}", gone).status == 202)
    try await target.advance(14 * 86_400 + 1)
    _ = try await target.signIn("known@example.com")
    let late = try await target.signIn("leaving@example.com")
    #expect(try await target.post("/rpc/request_account_deletion", "{}", late).status == 202)
    let stopped = target
    #expect(try await OwnThread.run { stopped.process.end(by: SIGTERM) } == 0)
    target = try await BackendTarget.start(folder, arguments: ["--registration", "closed", "--limits", "prod"])
    let identifiers = ["known@example.com", "never@example.com", "leaving@example.com", "gone@example.com"]
    for path in ["/rpc/request_magic_link", "/rpc/request_login_code"] {
      try await target.develop("POST", "/dev/limits", "{\"reset\":true}")
      for expected in [200, 429] {
        var told: Set<String> = []
        for identifier in identifiers {
          // Retry-After counts down with the real clock, so it may differ by a second.
          let reply = try await target.send("POST", path, BackendTarget.body(identifier))
          #expect(reply.status == expected)
          if expected == 429 { #expect((55...60).contains(Int(reply.field("retry-after") ?? "") ?? 0)) }
          told.insert(reply.told.split(separator: "\n").filter { !$0.hasPrefix("retry-after") }.joined(separator: "\n"))
        }
        #expect(told.count == 1, "\(told)")
      }
    }
    // The wait returns nothing only if nothing was sent.
    #expect(try await target.mail(to: "never@example.com", wait: 0).isEmpty)
    var wrong: Set<String> = []
    for identifier in identifiers {
      wrong.insert(try await target.redeem(code: "12345", of: identifier).told)
    }
    #expect(wrong.count == 1 && wrong.first?.contains("login_code_invalid") == true)
  }

  @Test func b02OneAddressInManyWritingsIsOneAccountAndNothingIsInjected() async throws {
    let target = try await Self.target()
    var accounts: Set<String> = []
    for writing in ["canon@example.com", "CANON@example.com", " Canon@Example.Com "] {
      let earlier = try await target.mail(to: "canon@example.com", wait: 0).last?.id
      #expect(try await target.send("POST", "/rpc/request_magic_link", BackendTarget.body(writing)).status == 200)
      let mail = try #require(try await target.mail(to: "canon@example.com", after: earlier).last)
      #expect(mail.to == "canon@example.com")
      let tokens = try #require(BackendTokens(try await target.redeem(link: mail.token)))
      accounts.insert(try await target.me(tokens.access).json?["account_id"]?.string ?? "")
    }
    #expect(accounts.count == 1)
    let tagged = try await target.signIn("canon+tag@example.com")
    #expect(!accounts.contains(try await target.me(tagged.access).json?["account_id"]?.string ?? ""), "a tag is another address")
    let long = String(repeating: "a", count: 320) + "@example.com"
    for bad in [
      "с\u{0430}non@example.com", "canon@ex\u{0430}mple.com", "a@b@example.com", "canon@example.com\\r\\nBcc: eve@example.com",
      "canon@example.com\\n", "canon@example.com\\u0000", "<canon@example.com>", "canon@example.com,eve@example.com", long,
    ] {
      for path in ["/rpc/request_magic_link", "/rpc/request_login_code"] {
        let reply = try await target.send("POST", path, BackendTarget.body(bad))
        #expect(reply.status == 400 && reply.code == "invalid_identifier", "\(bad.prefix(40))")
      }
    }
    let all = try await target.develop("GET", "/dev/inbox").sourceText
    #expect(!all.contains("Bcc:") && !all.contains("eve@"))
  }

  @Test func b03NoHeaderOfARequestReachesALink() async throws {
    let target = try await Self.target()
    for fields in [
      ["X-Forwarded-Host: evil.example", "X-Forwarded-Proto: http", "Forwarded: host=evil.example;proto=http"],
      ["X-Host: evil.example", "X-Original-Host: evil.example", "Referer: https://evil.example/"],
    ] {
      for host in ["127.0.0.1:1", "localhost:9", "10.9.8.7"] {
        let earlier = try await target.mail(to: "host@example.com", wait: 0).last?.id
        let asked = try await target.send(
          "POST", "/rpc/request_magic_link", BackendTarget.body("host@example.com"), fields: fields, host: host)
        #expect(asked.status == 200)
        let mail = try #require(try await target.mail(to: "host@example.com", after: earlier).last)
        #expect(mail.link.hasPrefix("\(target.origin)/callback#token="))
        #expect(!mail.text.contains("evil.") && !mail.text.contains("10.9.8.7"))
      }
    }
    let absolute = try await target.exchange(
      BackendTarget.request(
        "POST", "https://evil.example/rpc/request_magic_link", BackendTarget.body("host@example.com"), host: "evil.example"))
    #expect(absolute.status == 403 && absolute.code == "forbidden")
  }

  @Test func b04AScannersVisitsLeaveALinkGood() async throws {
    let target = try await Self.target()
    let mail = try await target.ask("scanned@example.com", state: "s")
    let logins = try target.log().components(separatedBy: "event=login ").count
    for fields in [
      ["User-Agent: Mozilla/5.0 (compatible; mail scanner)"], ["Sec-Purpose: prefetch;prerender", "X-Purpose: preview"],
      ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"],
    ] {
      for method in ["HEAD", "GET", "OPTIONS", "GET"] {
        let page = try await target.send(method, "/callback", device: nil, fields: fields)
        #expect(page.status == (method == "OPTIONS" ? 405 : 200))
        #expect(page.field("set-cookie") == nil && !page.text.lowercased().contains("<script"))
        #expect(method == "OPTIONS" || page.field("content-security-policy")?.contains("default-src 'none'") == true)
      }
    }
    // A scanner that turns the fragment into a query, or the call into a GET.
    #expect(try await target.send("GET", "/callback?token=\(mail.token)&state=s", device: nil).status == 200)
    #expect(try await target.send("GET", "/rpc/login_with_magic_token?token=\(mail.token)").status == 405)
    #expect(try await target.send("HEAD", "/rpc/login_with_magic_token?token=\(mail.token)").status == 405)
    #expect(try target.log().components(separatedBy: "event=login ").count == logins, "nothing signed in")
    #expect(try await target.redeem(link: mail.token, state: "s").status == 200)
  }

  @Test func b05ALinkIsGoodOnceInTimeAndUnaltered() async throws {
    let target = try await Self.target()
    var told: Set<String> = []
    func refused(_ reply: BackendReply, _ what: String) {
      #expect(reply.status == 401 && reply.code == "login_link_invalid", "\(what)")
      told.insert(reply.told)
    }
    let twice = try await target.ask("link@example.com")
    #expect(try await target.redeem(link: twice.token).status == 200)
    refused(try await target.redeem(link: twice.token), "used")
    let byCode = try await target.ask("link@example.com")
    #expect(try await target.redeem(code: byCode.code, of: "link@example.com").status == 200)
    refused(try await target.redeem(link: byCode.token), "after its code")
    let first = try await target.ask("link@example.com")
    let second = try await target.ask("link@example.com")
    refused(try await target.redeem(link: first.token), "after a resend")
    #expect(try await target.redeem(link: second.token).status == 200)
    let good = try await target.ask("link@example.com", state: "mine")
    let foreign = try await target.ask("other-link@example.com", state: "theirs")
    var bytes = Array(good.token.utf8)
    bytes[20] = bytes[20] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
    for altered in [
      String(decoding: bytes, as: UTF8.self), String(good.token.dropLast()), good.token + "=", good.token + "A",
      good.token.lowercased(), "", "null", String(repeating: "A", count: 43),
    ] where altered != good.token { refused(try await target.redeem(link: altered), altered) }
    refused(try await target.redeem(link: foreign.token, state: "mine"), "another account's")
    try await target.advance(570)
    #expect(try await target.redeem(link: good.token, state: "mine").status == 200, "in time")
    let late = try await target.ask("link@example.com")
    try await target.advance(600)
    refused(try await target.redeem(link: late.token), "late")
    #expect(told.count == 1, "all refusals look alike")
  }

  @Test func b06OfFiftyRedemptionsAtOnceOneWins() async throws {
    let target = try await Self.target()
    for byLink in [true, false] {
      let identifier = byLink ? "race-link@example.com" : "race-code@example.com"
      let mail = try await target.ask(identifier)
      let replies = try await target.atOnce(
        (0..<50).map { number in
          byLink
            ? BackendTarget.request(
              "POST", "/rpc/login_with_magic_token", "{\"token\":\"\(mail.token)\"}", device: "racer-\(number)")
            : BackendTarget.request(
              "POST", "/rpc/login_with_code", "{\"identifier\":\"\(identifier)\",\"code\":\"\(mail.code)\"}",
              device: "racer-\(number)")
        })
      #expect(replies.filter { $0.status == 200 }.count == 1)
      #expect(replies.filter { $0.status == 401 }.count == 49)
      let sessions = try await target.count(
        "SELECT count(*) FROM session JOIN account USING (account_id) WHERE identifier = ?", identifier)
      #expect(sessions == 1)
    }
  }

  @Test func b07AForeignStateIsRefusedAndTheLinkStaysGoodForWhoAsked() async throws {
    let target = try await Self.target()
    let mail = try await target.ask("bound@example.com", state: "made-by-the-first-device")
    let refusals = try target.log().components(separatedBy: "event=login_refused").count
    let stolen = try await target.redeem(link: mail.token, state: "made-by-another", device: "device-two")
    #expect(stolen.status == 401 && stolen.code == "login_link_invalid")
    #expect(try target.log().components(separatedBy: "event=login_refused").count == refusals + 1, "it is reported")
    #expect(try await target.redeem(link: mail.token, state: "made-by-the-first-device").status == 200)
  }
}
