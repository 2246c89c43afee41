import HTTPTypes
import Reactor
import Server
import Testing

/// The client that a proxy names, and the limit of its requests.
@Suite(.timeLimit(.minutes(1))) struct ForwardedClientTests {
  private func fields(_ plain: [String], _ standard: [String]) throws -> HTTPFields {
    var fields = HTTPFields()
    for (name, values) in [("X-Forwarded-For", plain), ("Forwarded", standard)] {
      for value in values { fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value)) }
    }
    return fields
  }

  @Test(
    arguments: [
      (["192.0.2.1"], [], "192.0.2.1"), (["192.0.2.1, 192.0.2.2"], [], "192.0.2.2"),
      (["192.0.2.1", "192.0.2.2"], [], "192.0.2.2"),
      (["192.0.2.1:4711"], [], "192.0.2.1"), (["[2001:db8::1]:80"], [], "2001:db8::"), (["2001:db8::1"], [], "2001:db8::"),
      ([" 192.0.2.1\t"], [], "192.0.2.1"), ([], ["for=192.0.2.1"], "192.0.2.1"),
      ([], ["for=192.0.2.9, For=\"[2001:db8::17]:4711\";proto=https"], "2001:db8::"),
      ([], ["by=\"a,b\";for=\"192.0.2.1:80\""], "192.0.2.1"), (["192.0.2.1"], ["for=192.0.2.1"], "192.0.2.1"),
    ] as [([String], [String], String)])
  func theLastHopIsRead(plain: [String], standard: [String], wanted: String) throws {
    #expect(ForwardedClient.address(in: try fields(plain, standard))?.host == wanted)
  }

  @Test(
    arguments: [
      ([], []), ([""], []), (["unknown"], []), (["192.0.2.1, "], []), (["192.0.2.1:"], []), (["192.0.2.1:123456"], []),
      (["192.0.2.1:8a"], []), (["[192.0.2.1]"], []), (["[2001:db8::1]x"], []), (["[2001:db8::1"], []), (["192.0.2.256"], []),
      ([String(repeating: "1", count: 100)], []), ([], ["for=unknown"]), ([], ["for=_hidden"]), ([], ["proto=https"]),
      ([], ["for=192.0.2.1;for=192.0.2.2"]), ([], ["for=\"192.0.2.1"]), (["192.0.2.1"], ["for=192.0.2.2"]),
    ] as [([String], [String])])
  func whatCannotBeReadIsNobody(plain: [String], standard: [String]) throws {
    #expect(ForwardedClient.address(in: try fields(plain, standard)) == nil)
  }

  @Test func eachNamedClientHasItsOwnShareOfRequests() async throws {
    var limits = ServerLimits()
    (limits.isBehindProxy, limits.connectionsPerClient) = (true, 2)
    limits.countsLoopbackClients = true
    let (entered, enter) = AsyncStream.makeStream(of: String.self)
    let (go, leave) = AsyncStream.makeStream(of: Void.self)
    let gate = Task { _ = await go.first { _ in true } }
    try await RunningServer.with(
      limits: limits,
      respond: { request in
        if request.path == "/slow" {
          enter.yield(request.client.host)
          await gate.value
        }
        return .text(request.client.host)
      }
    ) { running in
      let named = "X-Forwarded-For: 192.0.2.1\r\n"
      async let first: Void = RawClient.talk(running.port) { client in
        client.send(get("/slow", named))
        #expect(client.answer().text == "192.0.2.1")
      }
      async let second: Void = RawClient.talk(running.port) { client in
        client.send(get("/slow", named))
        #expect(client.answer().text == "192.0.2.1")
      }
      var names = entered.makeAsyncIterator()
      for _ in 0..<2 { #expect(await names.next() == "192.0.2.1") }
      try await RawClient.talk(running.port) { client in
        client.send(get("/", named))
        #expect(client.answer().status == 503)
      }
      try await RawClient.talk(running.port) { client in
        client.send(get("/", "X-Forwarded-For: 192.0.2.2\r\n"))
        #expect(client.answer().text == "192.0.2.2")
        client.send(get("/", "X-Forwarded-For: what\r\n"))
        #expect(client.answer().text == "127.0.0.1")
      }
      leave.finish()
      try await first
      try await second
      try await RawClient.talk(running.port) { client in
        client.send(get("/", named))
        #expect(client.answer().status == 200)
      }
    }
  }

  @Test func withoutAProxyNobodyIsBelieved() async throws {
    try await RunningServer.with(respond: { .text($0.client.host) }) { running in
      try await RawClient.talk(running.port) { client in
        client.send(get("/", "X-Forwarded-For: 192.0.2.1\r\nForwarded: for=192.0.2.1\r\n"))
        #expect(client.answer().text == "127.0.0.1")
      }
    }
  }
}
