import Foundation
import JSON
import Support
import Testing

extension BackendAttackTests {
  @Test func b24TheLimitsEdgeIsExactAndKnowsNoDetour() async throws {
    let target = try await Self.target()
    try await target.limits("prod")
    let ask = BackendTarget.request("POST", "/rpc/request_magic_link", BackendTarget.body("edge@example.com"))
    let first = try await target.atOnce(Array(repeating: ask, count: 20))
    #expect(first.filter { $0.status == 200 }.count == 1 && first.filter { $0.status == 429 }.count == 19)
    for fields in [
      ["X-Forwarded-For: 203.0.113.9"], ["Forwarded: for=203.0.113.10"], ["X-Real-IP: 203.0.113.11"],
      ["CF-Connecting-IP: 203.0.113.12"],
    ] {
      for (path, writing) in [
        ("/rpc/request_login_code", "EDGE@example.com"), ("/rpc/request_magic_link?x=1", " edge@example.com"),
      ] {
        let reply = try await target.send("POST", path, BackendTarget.body(writing), device: "another", fields: fields)
        #expect(reply.status == 429 && reply.code == "too_many_attempts")
      }
    }
    try await target.advance(30)
    let early = try await target.exchange(ask)
    let wait = try #require(early.field("retry-after").flatMap { Int($0) })
    #expect(early.status == 429 && (1...30).contains(wait))
    try await target.advance(wait)
    #expect(try await target.exchange(ask).status == 200, "waiting exactly that long works")
    for _ in 0..<3 {
      try await target.advance(60)
      #expect(try await target.exchange(ask).status == 200)
    }
    try await target.advance(60)
    let sixth = try await target.exchange(ask)
    let hour = try #require(sixth.field("retry-after").flatMap { Int($0) })
    #expect(sixth.status == 429 && hour > 60 && hour <= 3600, "five an hour")
    try await target.advance(hour - 30)
    let almost = try #require(try await target.exchange(ask).field("retry-after").flatMap { Int($0) })
    try await target.advance(almost)
    #expect(try await target.exchange(ask).status == 200)
  }

  @Test func b24OneClientCannotAskForEverybody() async throws {
    let target = try await Self.target()
    try await target.limits("prod")
    func ask(_ number: Int, _ device: String) async throws -> BackendReply {
      try await target.send("POST", "/rpc/request_magic_link", BackendTarget.body("spray\(number)@example.com"), device: device)
    }
    for number in 0..<30 { #expect(try await ask(number, "sprayer").status == 200) }
    let over = try await ask(30, "sprayer")
    #expect(over.code == "too_many_attempts" && (1...300).contains(Int(over.field("retry-after") ?? "") ?? 0))
    #expect(try await ask(30, "another-client").status == 200)
    try await target.advance(Int(over.field("retry-after") ?? "") ?? 0)
    #expect(try await ask(31, "sprayer").status == 200)
  }

  @Test func b24ARestartAndAClockThatGoesBackChangeNothing() async throws {
    var target = try await BackendTarget.start(arguments: ["--limits", "prod"])
    func ask() async throws -> BackendReply {
      try await target.send("POST", "/rpc/request_magic_link", BackendTarget.body("patient@example.com"))
    }
    #expect(try await ask().status == 200)
    let stopped = target
    _ = try await OwnThread.run { stopped.process.end(by: SIGKILL) }
    target = try await BackendTarget.start(stopped.folder, arguments: ["--limits", "prod"])
    #expect(try await ask().status == 429, "a restart does not reset it")
    try await target.advance(7200)
    #expect(try await ask().status == 200)
    try await target.develop("POST", "/dev/clock", "{\"reset\":true}")
    let back = try await ask()
    #expect(
      back.status == 429 && (50...60).contains(Int(back.field("retry-after") ?? "") ?? 0), "neither locked for hours nor unlocked"
    )
    try await target.advance(60)
    #expect(try await ask().status == 200)
  }

  @Test func b25AFloodForOneIdentifierStopsNobody() async throws {
    let target = try await Self.target()
    try await target.limits("prod")
    let mail = try await target.ask("flooded@example.com", device: "the-victims")
    let flood = BackendTarget.request(
      "POST", "/rpc/request_login_code", BackendTarget.body("flooded@example.com"), device: "floods")
    #expect(try await target.atOnce(Array(repeating: flood, count: 40)).allSatisfy { $0.status == 429 })
    #expect(try await target.redeem(link: mail.token, device: "the-victims").status == 200, "the latest message stays valid")
    #expect(try await target.send("POST", "/rpc/request_magic_link", BackendTarget.body("bystander@example.com")).status == 200)
    // Rejected calls do not count: the victim can ask again after the spacing, whatever was rejected in between.
    try await target.advance(60)
    let again = try await target.ask("flooded@example.com", link: false, device: "the-victims")
    #expect(try await target.atOnce(Array(repeating: flood, count: 20)).allSatisfy { $0.status == 429 })
    #expect(try await target.redeem(code: again.code, of: again.to, device: "the-victims").status == 200)
  }
}
