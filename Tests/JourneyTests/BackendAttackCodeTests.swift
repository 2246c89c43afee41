import Foundation
import JSON
import Support
import Testing

extension BackendAttackTests {
  @Test func b08ACodeHasFiveAttemptsWhateverHappens() async throws {
    let target = try await Self.target()
    let four = try await target.ask("four@example.com", link: false)
    for _ in 0..<4 { #expect(try await target.redeem(code: four.wrongCode, of: four.to).code == "login_code_invalid") }
    #expect(try await target.redeem(code: four.code, of: four.to).status == 200)
    let five = try await target.ask("five@example.com", link: false)
    for _ in 0..<5 { #expect(try await target.redeem(code: five.wrongCode, of: five.to).code == "login_code_invalid") }
    #expect(try await target.redeem(code: five.code, of: five.to).code == "login_code_invalid")
    let fifty = try await target.ask("fifty@example.com", link: false)
    let replies = try await target.atOnce(
      (0..<50).map { number in
        BackendTarget.request(
          "POST", "/rpc/login_with_code", "{\"identifier\":\"\(fifty.to)\",\"code\":\"\(fifty.wrongCode)\"}", device: "d\(number)"
        )
      })
    #expect(replies.allSatisfy { $0.code == "login_code_invalid" } && Set(replies.map(\.told)).count == 1)
    #expect(try await target.count("SELECT attempts FROM login_challenge WHERE identifier = ?", fifty.to) == 5)
    #expect(try await target.redeem(code: fifty.code, of: fifty.to).code == "login_code_invalid")
  }

  @Test func b08AttemptsOutliveAKill() async throws {
    let first = try await BackendTarget.start()
    let mail = try await first.ask("killed@example.com", link: false)
    for _ in 0..<5 { #expect(try await first.redeem(code: mail.wrongCode, of: mail.to).status == 401) }
    _ = try await OwnThread.run { first.process.end(by: SIGKILL) }
    let second = try await BackendTarget.start(first.folder)
    #expect(try await second.redeem(code: mail.code, of: mail.to).code == "login_code_invalid")
  }

  @Test func b09ResendingGivesNoMoreThanTheHoursShareOfAttempts() async throws {
    let target = try await Self.target()
    try await target.limits("prod")
    let writings = ["guessed@example.com", "GUESSED@example.com", " guessed@example.com", "Guessed@Example.com"]
    var messages = 0
    var guesses = 0
    for round in 0..<8 {
      let asked = try await target.send("POST", "/rpc/request_login_code", BackendTarget.body(writings[round % 4]))
      if asked.status == 200 {
        messages += 1
        for attempt in 0..<6 { _ = try await target.redeem(code: "99999x", of: writings[attempt % 4]) }
        guesses += try await target.count("SELECT attempts FROM login_challenge WHERE identifier = ?", "guessed@example.com")
      } else {
        #expect(asked.code == "too_many_attempts")
      }
      try await target.advance(60)
    }
    #expect(messages == 5 && guesses == 25)
  }

  @Test func b10AnotherIdentifiersCodeIsWorthNothing() async throws {
    let target = try await Self.target()
    let mine = try await target.ask("mine-code@example.com", link: false)
    var other = try await target.ask("other-code@example.com", link: false)
    while other.code == mine.code { other = try await target.ask("other-code@example.com", link: false) }
    #expect(try await target.redeem(code: mine.code, of: other.to).code == "login_code_invalid")
    #expect(try await target.redeem(link: mine.code).code == "login_link_invalid", "a code is no link's token")
    #expect(try await target.redeem(code: mine.code, of: mine.to).status == 200)
  }

  /// Six hundred codes: enough to find for certain a backend that never draws a leading zero or omits a digit.
  @Test func b11EveryDigitOfACodeIsUniform() async throws {
    let target = try await Self.target()
    let port = target.port
    let pem = target.certificatePEM
    let codes = try await OwnThread.run {
      let connection = try BackendConnection(port: port, trusting: pem)
      var codes: [String] = []
      var after: String?
      for _ in 0..<2 {
        for number in 0..<300 {
          try connection.send(
            BackendTarget.request("POST", "/rpc/request_login_code", BackendTarget.body("drawn\(number)@example.com")))
          #expect(try connection.answer().status == 200)
        }
        var arrived: [BackendMail] = []
        while !(arrived.last?.to == "drawn299@example.com") {
          let query = after.map { "?after=\($0)" } ?? ""
          connection.developer("/dev/inbox\(query)")
          arrived = try connection.answer().json?["messages"]?.elements.map { BackendMail($0) } ?? []
        }
        after = arrived.last?.id
        codes += arrived.filter { $0.to.hasPrefix("drawn") }.suffix(300).map(\.code)
      }
      return codes
    }
    #expect(codes.count == 600 && codes.allSatisfy { $0.utf8.count == 6 && $0.utf8.allSatisfy({ (48...57).contains($0) }) })
    for place in 0..<6 {
      var counts = [Double](repeating: 0, count: 10)
      for code in codes { counts[Int(Array(code.utf8)[place] - 48)] += 1 }
      let chiSquare = counts.reduce(0) { $0 + ($1 - 60) * ($1 - 60) / 60 }
      // Nine degrees of freedom: above 45 once in a million runs.
      #expect(chiSquare < 45, "digit \(place): \(counts)")
    }
  }

  @Test func b12NoSecretLiesOnTheDiskOrInTheLog() async throws {
    let target = try await Self.target()
    let mail = try await target.ask("at-rest@example.com", state: "state-at-rest")
    let first = try #require(BackendTokens(try await target.redeem(link: mail.token, state: "state-at-rest")))
    let second = try await target.rotate(first.refresh)
    let waiting = try await target.ask("at-rest@example.com")
    let secrets = [
      first.access, first.refresh, second.access, second.refresh, mail.token, waiting.token, "code \(waiting.code)",
      "\"\(waiting.code)\"", BackendTarget.developersToken,
    ]
    var whole = Data()
    let data = target.folder.file("data")
    let names = try FileManager.default.contentsOfDirectory(atPath: data)
    #expect(names.contains("backend.sqlite") && names.contains("backend.sqlite-wal"))
    for name in names {
      let path = "\(data)/\(name)"
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
      #expect((mode?.intValue ?? 0o777) & 0o077 == 0, "\(name) is for its user alone")
      whole += try Data(contentsOf: URL(fileURLWithPath: path))
    }
    whole += Data(try target.log().utf8)
    #expect(whole.range(of: Data("at-rest@example.com".utf8)) != nil, "the search finds existing text")
    for secret in secrets { #expect(whole.range(of: Data(secret.utf8)) == nil, "\(secret.prefix(6))…") }
    #expect(!(try target.log()).contains("at-rest"), "no identifier is logged")
  }
}

extension BackendConnection {
  /// Sends a GET to a developer route.
  fileprivate func developer(_ target: String) {
    try? send(BackendTarget.request("GET", target, device: nil, token: BackendTarget.developersToken))
  }
}
