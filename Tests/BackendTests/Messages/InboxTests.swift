import HTTPTypes
import JSON
import RPC
import Support
import Testing

@testable import Backend

@Suite(.timeLimit(.minutes(1))) struct InboxTests {
  private func message(_ id: String, to: String = BackendProbe.ana) -> InboxMessage {
    let now = Timestamp(milliseconds: 1_795_262_400_000)
    return InboxMessage(id: id, to: to, link: nil, code: "123456", deliveredAt: now, expiresAt: now.adding(600_000))
  }

  @Test func filters() async {
    let inbox = Inbox()
    inbox.deliver(message("1"))
    inbox.deliver(message("2", to: "+491711234567"))
    inbox.deliver(message("3"))
    #expect(await inbox.messages(to: nil).map(\.id) == ["1", "2", "3"])
    #expect(await inbox.messages(to: [BackendProbe.ana]).map(\.id) == ["1", "3"])
    #expect(await inbox.messages(to: [BackendProbe.ana], after: "1").map(\.id) == ["3"])
    #expect(await inbox.messages(to: nil, after: "unknown").count == 3)
    #expect(await inbox.messages(to: []).isEmpty)
  }

  @Test func waitingEndsWithAMessageForTheWaiter() async {
    let inbox = Inbox()
    async let waiting = inbox.messages(to: [BackendProbe.ana], wait: .seconds(50))
    inbox.deliver(message("1", to: "+491711234567"))
    inbox.deliver(message("2"))
    #expect(await waiting.map(\.id) == ["2"])
  }

  @Test func waitingEndsWithItsTimeout() async {
    #expect(await Inbox().messages(to: nil, wait: .milliseconds(1)).isEmpty)
  }

  @Test func itIsBounded() async {
    let inbox = Inbox()
    for index in 0..<(Inbox.capacity + 10) { inbox.deliver(message("\(index)")) }
    let kept = await inbox.messages(to: nil)
    #expect(kept.count == Inbox.capacity && kept.first?.id == "10")
  }

  @Test func deliveriesArrive() async {
    let inbox = Inbox()
    let stream = inbox.deliveries()
    inbox.deliver(message("1"))
    var iterator = stream.makeAsyncIterator()
    #expect(await iterator.next()?.id == "1")
  }

  @Test func aMessageAsJSONAndInALog() throws {
    let json = try JSONDocument(parsing: JSONCoding.encode(message("1"))).root
    #expect(json["kind"]?.string == "login_code" && json["delivered_at"]?.string == "2026-11-21T12:00:00.000Z")
    #expect(json["code"]?.string == "123456" && json["link"] == nil)
    #expect("\(message("1"))" == "InboxMessage(login_code)")
    var dumped = ""
    dump(message("1"), to: &dumped)
    #expect(!dumped.contains("123456"))
  }
}
