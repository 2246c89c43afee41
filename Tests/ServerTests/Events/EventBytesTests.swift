import Server
import Testing

/// The history of a channel is limited by bytes as well as by number.
@Suite(.timeLimit(.minutes(1))) struct EventBytesTests {
  private func published(_ channel: EventChannel, after: String, _ body: @escaping @Sendable (String) -> Void) async throws {
    channel.close()
    try await RunningServer.with(respond: { _ in .events(channel.subscribe(after: after)) }) { running in
      try await RawClient.talk(running.port) { client in
        client.send(get("/"))
        body(client.answer().text)
      }
    }
  }

  @Test func theOldestGoUntilTheNewestFits() async throws {
    let channel = EventChannel(epoch: "e", capacity: 100, byteCapacity: 4000)
    for _ in 1...20 { channel.publish("n", data: [UInt8](repeating: 0x61, count: 950)) }
    #expect(channel.heldBytes <= 4000 && channel.heldCount == 4)
    for _ in 1...200 { channel.publish("n", data: Array("b".utf8)) }
    #expect(channel.heldCount == 100 && channel.heldBytes < 4000)
    try await published(channel, after: "e-100") { text in
      #expect(text.contains("event: gap\ndata: {\"missed\":20,\"from\":\"e-101\",\"to\":\"e-120\"}\n"))
      #expect(text.contains("id: e-121\n") && text.contains("id: e-220\n") && !text.contains("id: e-119\n"))
    }
  }

  @Test func anEventAboveTheLimitIsAGap() async throws {
    let channel = EventChannel(epoch: "e", byteCapacity: 4000)
    channel.publish("n", data: Array("1".utf8))
    channel.publish("large", data: [UInt8](repeating: 0x61, count: 5000))
    #expect(channel.heldCount == 0 && channel.heldBytes == 0)
    channel.publish("n", data: Array("3".utf8))
    try await published(channel, after: "e-1") { text in
      #expect(text.contains("id: e-2\nevent: gap\ndata: {\"missed\":1,\"from\":\"e-2\",\"to\":\"e-2\"}\n"))
      #expect(text.contains("id: e-3\nevent: n\ndata: 3\n") && !text.contains("large"))
    }
  }

  @Test func aGreetingAboveTheLimitIsAGap() async throws {
    let channel = EventChannel(epoch: "e", byteCapacity: 4000)
    channel.close()
    try await RunningServer.with(
      respond: { _ in
        let subscription = channel.subscribe(after: nil)
        subscription.sendInitial("session", data: [UInt8](repeating: 0x61, count: 5000))
        return .events(subscription)
      }
    ) { running in
      try await RawClient.talk(running.port) { client in
        client.send(get("/"))
        let text = client.answer().text
        #expect(text.contains("event: gap\n") && !text.contains("aaa"))
      }
    }
  }
}
