import HTTPTypes
import Reactor
import Server
import Support
import Testing

@Suite(.timeLimit(.minutes(1))) struct EventStreamTests {
  private func serving(
    _ channel: EventChannel, _ body: (RunningServer) async throws -> Void
  ) async throws {
    try await RunningServer.with(
      respond: { request in
        let after =
          request.headers[HTTPField.Name("Last-Event-ID") ?? .accept] ?? request.queryPairs().first { $0.0 == "after" }?.1
        return .events(channel.subscribe(after: after))
      }, body)
  }

  @Test func eventsArriveAndTheStreamEndsWithTheChannel() async throws {
    let channel = EventChannel(epoch: "e")
    try await serving(channel) { running in
      try await RawClient.talk(running.port) { client in
        client.send(get("/"))
        #expect(client.read(through: "\r\n\r\n")?.contains("Content-Type: text/event-stream\r\n") == true)
        #expect(client.read(through: ": open\n\n\r\n") != nil)
        channel.publish("network", data: Array("{\"a\":1}".utf8))
        #expect(client.read(through: "id: e-1\nevent: network\ndata: {\"a\":1}\n\n\r\n") != nil)
        channel.publish("last", data: [])
        channel.close()
        let rest = String(decoding: client.rest(), as: UTF8.self)
        #expect(rest.contains("id: e-2\nevent: last\n") && rest.hasSuffix(": end\n\n\r\n0\r\n\r\n"))
      }
      #expect(channel.subscriberCount == 0)
    }
  }

  @Test func aGreetingComesFirstAndToItsListenerAlone() async throws {
    let channel = EventChannel(epoch: "e")
    for number in 1...2 { channel.publish("n", data: Array("\(number)".utf8)) }
    try await RunningServer.with(
      respond: { request in
        let subscription = channel.subscribe(after: nil)
        if request.path == "/greeted" { subscription.sendInitial("state", data: Array("now".utf8)) }
        channel.publish("n", data: Array("3".utf8))
        return .events(subscription)
      }
    ) { running in
      try await RawClient.talk(running.port) { client in
        client.send(get("/greeted"))
        #expect(client.read(through: "data: 3\n\n")?.contains("id: e-2\nevent: state\ndata: now\n\nid: e-3\nevent: n\n") == true)
      }
      try await RawClient.talk(running.port) { client in
        client.send(get("/"))
        #expect(client.read(through: "data: 3\n\n")?.contains("state") == false)
      }
    }
  }

  @Test func resumesAfterAnId() async throws {
    let channel = EventChannel(epoch: "e")
    for number in 1...5 { channel.publish("n", data: Array("\(number)".utf8)) }
    channel.close()
    try await serving(channel) { running in
      for ask in [get("/", "Last-Event-ID: e-3\r\n"), get("/?after=e-3")] {
        try await RawClient.talk(running.port) { client in
          client.send(ask)
          let text = client.answer().text
          #expect(
            !text.contains("id: e-3\n") && text.contains("id: e-4\n") && text.contains("id: e-5\n") && !text.contains("gap"))
        }
      }
    }
  }

  @Test(arguments: [
    ("e-1", "{\"missed\":2,\"from\":\"e-2\",\"to\":\"e-3\"}", "4 5"),
    ("x-1", "{\"missed\":null,\"from\":null,\"to\":\"e-5\"}", ""),
    ("e-9", "{\"missed\":null,\"from\":null,\"to\":\"e-5\"}", ""), ("e-", "{\"missed\":null,\"from\":null,\"to\":\"e-5\"}", ""),
    ("e-99999999999999999999999", "{\"missed\":null,\"from\":null,\"to\":\"e-5\"}", ""),
    ("e-+3", "{\"missed\":null,\"from\":null,\"to\":\"e-5\"}", ""),
  ])
  func gapsAreTold(_ after: String, _ gap: String, _ events: String) async throws {
    let channel = EventChannel(epoch: "e", capacity: 2)
    for number in 1...5 { channel.publish("n", data: Array("\(number)".utf8)) }
    channel.close()
    try await serving(channel) { running in
      try await RawClient.talk(running.port) { client in
        client.send(get("/", "Last-Event-ID: \(after)\r\n"))
        let lines = client.answer().text.split(separator: "\n")
        #expect(lines.contains("event: gap") && lines.contains("data: \(gap)"))
        let data = lines.filter { $0.hasPrefix("data: ") && !$0.contains("{") }.map { $0.dropFirst(6) }.joined(separator: " ")
        #expect(data == events)
      }
    }
  }

  @Test func aSlowClientGetsAGapAndNotAllMemory() async throws {
    let channel = EventChannel(epoch: "e", capacity: 8)
    try await serving(channel) { running in
      // Far less than is published, but enough to read quickly: a tiny window takes a minute on a busy machine.
      try await RawClient.talk(running.port, receiveBuffer: 65_536) { client in
        client.send(get("/"))
        #expect(client.read(through: ": open\n\n\r\n") != nil)
        let large = [UInt8](repeating: 0x61, count: 100_000)
        for _ in 0..<150 { channel.publish("n", data: large) }
        channel.close()
        let text = String(decoding: client.rest(), as: UTF8.self)
        #expect(text.contains("event: gap\n") && text.contains("id: e-150\n") && text.utf8.count < 14_000_000)
      }
    }
  }

  @Test func heartbeatsFillTheSilence() async throws {
    let channel = EventChannel(epoch: "e", heartbeat: .milliseconds(30))
    try await serving(channel) { running in
      try await RawClient.talk(running.port) { client in
        client.send(get("/"))
        for _ in 0..<3 { #expect(client.read(through: "event: heartbeat\ndata: {}\n\n")?.contains("id:") == false) }
      }
    }
  }

  @Test func aGoneClientIsForgotten() async throws {
    // A heartbeat does not help: the disconnect itself must be noticed.
    let channel = EventChannel(epoch: "e", heartbeat: .seconds(3600))
    try await serving(channel) { running in
      try await RawClient.talk(running.port) { client in
        client.send(get("/"))
        #expect(client.read(through: ": open\n\n\r\n") != nil)
        #expect(channel.subscriberCount == 1)
      }
      await eventually { channel.subscriberCount == 0 }
      await running.waitForConnections(0)
    }
  }

  @Test func stopEndsStreamsInOrder() async throws {
    let channel = EventChannel(epoch: "e")
    try await serving(channel) { running in
      let (ready, sink) = AsyncStream.makeStream(of: Void.self)
      async let rest = RawClient.talk(running.port) { client in
        client.send(get("/"))
        _ = client.read(through: ": open\n\n\r\n")
        sink.yield()
        return String(decoding: client.rest(), as: UTF8.self)
      }
      _ = await ready.first { _ in true }
      // If it waited until then, the suite's time limit would end the test.
      await running.server.stop(within: .seconds(3600))
      let text = try await rest
      #expect(text.hasSuffix(": end\n\n\r\n0\r\n\r\n"))
    }
  }

  @Test func manySubscribersShareOneChannel() async throws {
    let channel = EventChannel(epoch: "e")
    try await serving(channel) { running in
      try await RawClient.talk(running.port) { first in
        let clients = [first] + (0..<19).map { _ in RawClient(port: running.port) }
        for client in clients {
          client.send(get("/"))
          #expect(client.read(through: ": open\n\n\r\n") != nil)
        }
        #expect(channel.subscriberCount == 20)
        for number in 0..<100 { channel.publish("n", data: Array("\(number)".utf8)) }
        channel.close()
        for client in clients {
          let text = String(decoding: client.rest(), as: UTF8.self)
          #expect(text.split(separator: "event: n\n").count >= 100 && text.contains("id: e-100\n"))
        }
      }
    }
  }
}
