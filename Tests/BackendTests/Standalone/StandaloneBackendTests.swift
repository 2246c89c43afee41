import HTTPTypes
import JSON
import RPC
import Reactor
import Server
import Support
import Locking
import Testing

@testable import Backend

@Suite(.timeLimit(.minutes(1))) struct StandaloneBackendTests {
  private static let secret = "a-token-for-developers"

  private func call(
    _ backend: StandaloneBackend, _ method: HTTPRequest.Method, _ path: String, query: String? = nil, body: String = "",
    token: String? = secret, fields extra: HTTPFields = [:]
  ) async throws -> BackendProbe.Reply {
    var fields = extra
    if let token { fields[.authorization] = "Bearer \(token)" }
    if !body.isEmpty { fields[.contentType] = "application/json" }
    let peer = try #require(SocketAddress(host: "127.0.0.1", port: 1))
    return BackendProbe.Reply(
      await backend.respond(
        Request(
          method: method, path: path, query: query, headers: fields, body: RequestBody(Array(body.utf8)), peer: peer, isTLS: true)
      ))
  }

  @Test func developerRoutesNeedTheToken() async throws {
    let probe = try await BackendProbe()
    for (configured, sent) in [(nil, Self.secret), (Self.secret, nil), (Self.secret, "x"), (Self.secret, Self.secret + "x")] {
      let backend = StandaloneBackend(probe.backend, developerToken: configured)
      for path in ["/dev/inbox", "/dev/clock", "/dev/limits", "/dev/other", "/dev/"] {
        for method in [HTTPRequest.Method.get, .post, .options] {
          let reply = try await call(backend, method, path, token: sent)
          #expect(reply.status == 404 && reply.code == "not_found")
        }
      }
    }
    let backend = StandaloneBackend(probe.backend, developerToken: Self.secret)
    #expect(try await call(backend, .get, "/dev/other").status == 404)
    #expect(try await call(backend, .delete, "/dev/inbox").fields[.allow] == "GET, HEAD")
    #expect(try await call(backend, .get, "/dev/clock").status == 405)
    #expect(try await call(backend, .post, "/dev/clock", body: "", token: Self.secret).status == 415)
  }

  @Test func inboxClockAndLimits() async throws {
    let probe = try await BackendProbe(limits: .prod)
    let backend = StandaloneBackend(probe.backend, developerToken: Self.secret)
    let message = try await probe.ask()
    let inbox = try await call(backend, .get, "/dev/inbox", query: "to=ANA@example.com&wait=5").json
    #expect(inbox["messages"]?.elements.first?["link"]?.string == message.link)
    #expect(inbox["messages"]?.elements.first?["delivered_at"]?.string == message.deliveredAt.text)
    #expect(try await call(backend, .get, "/dev/inbox", query: "after=\(message.id)").json["messages"]?.count == 0)
    for query in ["wait=31", "wait=-1", "wait=1e1", "to=x", "wait=1&wait=1"] {
      #expect(try await call(backend, .get, "/dev/inbox", query: query).status == 400)
    }
    let clock = try await call(backend, .post, "/dev/clock", body: "{\"advance_seconds\":45}").json
    #expect(clock["offset_seconds"]?.int64 == 45 && clock["now"]?.string == probe.backend.clock.now.text)
    for body in [
      "{\"advance_seconds\":-1}", "{\"advance_seconds\":34560001}", "{}", "{\"reset\":false}", "{\"advance_seconds\":1e400}",
    ] {
      #expect(try await call(backend, .post, "/dev/clock", body: body).status == 400)
    }
    let limits = try await call(backend, .get, "/dev/limits").json
    #expect(limits["mode"]?.string == "prod" && limits["entries"]?.elements.first?["sent"]?.int64 == 1)
    let next = limits["entries"]?.elements.first?["next_at"]?.string
    #expect(next == message.deliveredAt.adding(60_000).text)
    #expect(try await call(backend, .post, "/dev/limits", body: "{\"mode\":\"off\"}").json["mode"]?.string == "off")
    let reset = try await call(backend, .post, "/dev/limits", body: "{\"reset\":true}").json
    #expect(reset["mode"]?.string == "prod" && reset["entries"]?.count == 0)
    for body in ["{\"mode\":\"x\"}", "{}", "[]"] {
      #expect(try await call(backend, .post, "/dev/limits", body: body).status == 400)
    }
    #expect(try await call(backend, .post, "/dev/clock", body: "{\"reset\":true}").json["offset_seconds"]?.int64 == 0)
  }

  @Test func aMailScannerChangesNothing() async throws {
    let probe = try await BackendProbe()
    let standalone = StandaloneBackend(probe.backend, developerToken: nil)
    probe.backend.setLinkBase("https://127.0.0.1:8443")
    let message = try await probe.ask(state: "s")
    let seen = Locked<[String]>([])
    let scan = try #require(
      try await probe.backend.prefetchLink(messageID: message.id) { method, url in
        seen.withLock { $0.append("\(method) \(url)") }
        guard let method = HTTPRequest.Method(method), url.hasPrefix("https://127.0.0.1:8443") else { return nil }
        let path = String(url.dropFirst("https://127.0.0.1:8443".utf8.count))
        return try? await call(standalone, method, path, token: nil, fields: [.userAgent: "mail scanner"]).status
      })
    let page = "https://127.0.0.1:8443/callback"
    #expect(scan.url == page && scan.isUnchanged && scan.steps.map(\.status) == [200, 200, 200])
    #expect(seen.withLock { $0 } == ["HEAD \(page)", "GET \(page)", "GET \(page)"], "the token is never sent")
    #expect(try await probe.backend.prefetchLink(messageID: "x") { _, _ in 200 } == nil)
    // A scanner that redeems the link is reported.
    let other = try await probe.ask("eve@example.com")
    let burnt = try await probe.backend.prefetchLink(messageID: other.id) { _, _ in
      (try? await probe.redeem(link: other.token))?.status
    }
    #expect(burnt?.isUnchanged == false)
    #expect(try await probe.redeem(link: message.token).status == 200)
  }

  @Test func theCallbackPageDoesNothing() async throws {
    let backend = StandaloneBackend(try await BackendProbe().backend, developerToken: nil)
    let page = try await call(backend, .get, "/callback", token: nil)
    #expect(page.status == 200 && !String(decoding: page.body, as: UTF8.self).contains("<script"))
    #expect(page.fields[.contentSecurityPolicy]?.contains("default-src 'none'") == true)
    #expect(try await call(backend, .post, "/callback", token: nil).status == 405)
  }
}
