import HTTPTypes
import Server
import Support
import Testing

@Suite(.timeLimit(.minutes(1))) struct MetricsTests {
  /// The samples of the text, by name and labels.
  private static func samples(_ metrics: ServerMetrics) -> [String: Double] {
    let lines = String(decoding: metrics.prometheusText(), as: UTF8.self).split(separator: "\n")
    var samples: [String: Double] = [:]
    for line in lines where !line.hasPrefix("#") {
      let space = line.lastIndex(of: " ") ?? line.startIndex
      samples[String(line[..<space])] = Double(line[line.index(after: space)...])
    }
    return samples
  }

  @Test func countsByRouteMethodAndClassAndNeverByPath() async throws {
    try await RunningServer.with(respond: { request in
      var response = Response.text("x", status: request.path == "/items/none" ? .notFound : .ok)
      response.route = request.path.hasPrefix("/items/") ? "/items/{id}" : nil
      return response
    }) { running in
      try await RawClient.talk(running.port) { client in
        for path in ["/items/1", "/items/2", "/items/none", "/secret-path"] {
          client.send(get(path))
          _ = client.answer()
        }
        client.send("ODD /items/3 HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = client.answer()
        client.send("GET / HTTP/9.9\r\n\r\n")
        #expect(client.answer().status == 505)
      }
      await running.waitForConnections(0)
      let samples = Self.samples(running.server.metrics)
      #expect(samples[#"http_requests_total{route="/items/{id}",method="GET",status="2xx"}"#] == 2)
      #expect(samples[#"http_requests_total{route="/items/{id}",method="GET",status="4xx"}"#] == 1)
      #expect(samples[#"http_requests_total{route="/items/{id}",method="other",status="2xx"}"#] == 1)
      #expect(samples[#"http_requests_total{route="other",method="GET",status="2xx"}"#] == 1)
      #expect(samples[#"http_requests_refused_total{status="505"}"#] == 1)
      #expect(samples[#"http_request_duration_seconds_count{route="/items/{id}"}"#] == 4)
      #expect(samples[#"http_request_duration_seconds_bucket{route="/items/{id}",le="+Inf"}"#] == 4)
      #expect(samples[#"http_request_duration_seconds_bucket{route="/items/{id}",le="10.0"}"#] == 4)
      #expect(samples["http_connections_total"] == 1)
      #expect(samples["http_requests_in_flight"] == 0)
      #expect(samples["http_received_bytes_total"] ?? 0 > 150)
      #expect(!String(decoding: running.server.metrics.prometheusText(), as: UTF8.self).contains("secret-path"))
    }
  }

  @Test func gaugesFollowWhatIsOpen() async throws {
    let channel = EventChannel(epoch: "e")
    try await RunningServer.with(respond: { request in
      request.path == "/events" ? .events(channel.subscribe(after: nil)) : .text("x")
    }) { running in
      let metrics = running.server.metrics
      try await RawClient.talk(running.port) { client in
        client.send(get("/events"))
        _ = client.read(through: ": open")
        let samples = Self.samples(metrics)
        #expect(samples["http_event_stream_subscribers"] == 1)
        #expect(samples["http_requests_in_flight"] == 1)
        #expect(samples["http_connections"] == 1)
        channel.close()
        _ = client.rest()
      }
      await eventually { Self.samples(metrics)["http_connections"] == 0 }
      let samples = Self.samples(metrics)
      #expect(samples["http_event_stream_subscribers"] == 0)
      #expect(samples["http_requests_in_flight"] == 0)
      // The duration of an event stream has no meaning.
      #expect(samples[#"http_request_duration_seconds_count{route="other"}"#] == 0)
    }
  }

  @Test func inventedRoutesCannotFillTheMemory() async throws {
    try await RunningServer.with(respond: { request in
      var response = Response.text("x")
      response.route = request.path
      return response
    }) { running in
      try await RawClient.talk(running.port) { client in
        for start in stride(from: 0, to: 3000, by: 100) {
          client.send((start..<(start + 100)).map { get("/\($0)") }.joined())
          for _ in 0..<100 { _ = client.answer() }
        }
      }
      let text = String(decoding: running.server.metrics.prometheusText(), as: UTF8.self)
      #expect(text.split(separator: "\n").count { $0.hasPrefix("http_requests_total{") } <= 513)
      #expect(Self.samples(running.server.metrics)[#"http_requests_total{route="other",method="GET",status="2xx"}"#] ?? 0 > 2000)
    }
  }

  @Test func labelsAreEscaped() async throws {
    try await RunningServer.with(respond: { _ in
      var response = Response.text("x")
      response.route = "a\"b\\c\nd"
      return response
    }) { running in
      try await RawClient.talk(running.port) { client in
        client.send(get("/"))
        _ = client.answer()
      }
      await running.waitForConnections(0)
      #expect(String(decoding: running.server.metrics.prometheusText(), as: UTF8.self).contains(#"route="a\"b\\c\nd","#))
    }
  }

  @Test func ofManyHoldersTheFullestIsShown() {
    let bounds = Bound.fullest([
      Bound("rows", limit: 10, used: 3), Bound("rows", limit: 20, used: 7), Bound("rows", limit: 5, used: 7),
      Bound("age", limit: 1),
    ])
    #expect(bounds == [Bound("age", limit: 1), Bound("rows", limit: 20, used: 7)])
    let text = String(decoding: Bound.prometheusText(bounds), as: UTF8.self)
    #expect(text.contains("understudy_limit{name=\"age\"} 1\n") && text.contains("understudy_used{name=\"rows\"} 7\n"))
    #expect(!text.contains("understudy_used{name=\"age\"}"))
  }
}
