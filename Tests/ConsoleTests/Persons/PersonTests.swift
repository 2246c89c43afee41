import Client
import Domain
import HTTPTypes
import JSON
import Storage
import Testing

@testable import Console

/// Persons behind an authenticating proxy: whom the console believes, and what belongs to whom.
@Suite(.timeLimit(.minutes(1))) struct PersonTests {
  private static let secret = "a secret of the proxy alone"
  static let header = "X-Forwarded-Email"

  static func harness(
    owners: Set<String> = ["olga@example.com"], first: Person.Role = .tester, savedLog: SavedLogStore? = nil,
    file: ActiveBackendFile? = nil
  ) async throws -> ConsoleHarness {
    guard let header = HTTPField.Name(header) else { throw CancellationError() }
    return try await ConsoleHarness(
      proxy: PersonProxy(header: header, secret: secret, owners: owners, firstRole: first), savedLog: savedLog,
      file: file)
  }

  /// A caller as the proxy forwards it.
  static func named(_ name: String, key: String = "") -> ConsoleHarness.Caller {
    ConsoleHarness.Caller(
      key: key, fields: [(header, name), ("X-Understudy-Proxy-Secret", secret), ("X-Forwarded-For", "192.0.2.7")])
  }

  /// A person with a device.
  static func withDevice(_ name: String, _ harness: ConsoleHarness) async throws -> ConsoleHarness.Caller {
    let answer = await harness.call(.post, "/api/devices", "{}", as: named(name))
    return named(name, key: try #require(answer.json?["device_key"]?.string))
  }

  @Test func theHeaderCountsOnlyWithTheSecret() async throws {
    let harness = try await Self.harness()
    let name = (Self.header, "ann@example.com")
    let secret = ("X-Understudy-Proxy-Secret", Self.secret)
    let refused: [[(String, String)]] = [
      [], [name], [secret], [name, ("X-Understudy-Proxy-Secret", "another secret")],
      [name, ("X-Understudy-Proxy-Secret", "")], [name, secret, secret], [name, name, secret],
      [name, (Self.header, "olga@example.com"), secret], [(Self.header, ""), secret], [(Self.header, "an\u{202E}n"), secret],
      [(Self.header, String(repeating: "a", count: 255)), secret], [name, ("Authorization", "Bearer \(Self.secret)")],
    ]
    for fields in refused {
      for (method, path) in [(HTTPRequest.Method.get, "/api/person"), (.post, "/api/devices"), (.get, "/api/audit")] {
        let answer = await harness.call(method, path, method == .post ? "{}" : nil, as: .init(fields: fields))
        #expect(answer.status == 401 && answer.code == "access_required", "\(path) \(fields)")
      }
    }
    let answer = await harness.call(.get, "/api/person", as: .init(fields: [secret, name]))
    #expect(answer.status == 200 && answer.json?["name"]?.string == "ann@example.com")
    #expect(answer.json?["role"]?.string == "tester")
  }

  @Test func devicesBelongToAPersonOnEveryBrowser() async throws {
    let harness = try await Self.harness()
    let first = try await Self.withDevice("ann@example.com", harness)
    let signedIn = await harness.call(
      .post, "/api/login/code/verify", #"{"identifier":"dana@example.com","code":"123456"}"#, as: first)
    // No cookie: the proxy says who it is, and a cookie would go on after the proxy has signed the person out.
    #expect(signedIn.status == 200 && signedIn.headers[.setCookie] == nil)
    let list = await harness.call(.get, "/api/devices", as: first)
    #expect(list.json?["person"]?.string == "ann@example.com" && list.json?["role"]?.string == "tester")
    let id = try #require(list.json?["devices"]?.elements.first?["device_id"]?.string)
    let made = await harness.call(.post, "/api/devices/\(id)/key", "{}", as: Self.named("ann@example.com"))
    let second = Self.named("ann@example.com", key: try #require(made.json?["device_key"]?.string))
    #expect(second.key != first.key)
    for caller in [first, second] {
      #expect(await harness.call(.get, "/api/state", as: caller).json?["session"]?["state"]?.string == "authenticated")
    }
    #expect(await harness.call(.delete, "/api/device", as: second).status == 204)
    for caller in [first, second] {
      #expect(await harness.call(.get, "/api/state", as: caller).json?["reason"]?.string == "device_unknown")
    }
  }

  @Test func nobodyReachesADeviceOfAnotherPerson() async throws {
    let harness = try await Self.harness()
    let ann = try await Self.withDevice("ann@example.com", harness)
    let id = try #require(
      await harness.call(.get, "/api/devices", as: ann).json?["devices"]?.elements.first?["device_id"]?.string)
    _ = await harness.call(.get, "/api/person", as: Self.named("olga@example.com"))
    // An owner is nobody else's person either.
    for name in ["ben@example.com", "olga@example.com", "ANN@example.com", "ann@example.com.evil.example"] {
      #expect(await harness.call(.post, "/api/devices/\(id)/key", "{}", as: Self.named(name)).status == 404, "\(name)")
      for path in ["/api/state", "/api/network", "/api/devices", "/api/recordings"] {
        let answer = await harness.call(.get, path, as: Self.named(name, key: ann.key))
        #expect(answer.status == 401 && answer.code == "no_device", "\(name) \(path)")
      }
      let taken = await harness.call(.post, "/api/browser", "{\"device_keys\":[\"\(ann.key)\"]}", as: Self.named(name))
      #expect(taken.json?["devices"]?.elements.isEmpty == true && taken.json?["unknown"]?.elements.count == 1)
    }
    #expect(await harness.call(.get, "/api/state", as: ann).status == 200)
  }

  @Test func rolesSayWhoMayDoWhat() async throws {
    let harness = try await Self.harness(first: .viewer)
    let vera = try await Self.withDevice("vera@example.com", harness)
    let olga = try await Self.withDevice("olga@example.com", harness)
    func status(_ method: HTTPRequest.Method, _ path: String, _ body: String?, _ caller: ConsoleHarness.Caller) async -> Int {
      await harness.call(method, path, body, as: caller).status
    }
    // A viewer looks and has devices; every other change of every route is refused.
    for path in ["/api/state", "/api/network", "/api/devices", "/api/person"] {
      #expect(await status(.get, path, nil, vera) == 200, "\(path)")
    }
    let allowed: Set<String> = [
      "/api/devices", "/api/device", "/api/devices/{id}/key", "/api/browser", "/api/person", "/api/workspaces/join",
      "/api/workspaces/{id}/members/{person}",
    ]
    var refusedCount = 0
    for route in harness.application.routes where route.method != .get && !allowed.contains(route.path) {
      if case .open = route.handler { continue }
      let path = route.path.replacing("{id}", with: "1").replacing("{row}", with: "1")
      let answer = await harness.call(route.method, path, route.method == .delete ? nil : "{}", as: vera)
      #expect(answer.status == 403 && answer.code == "role_refused", "\(route.method) \(route.path)")
      refusedCount += 1
    }
    #expect(refusedCount > 20)
    for path in ["/api/persons", "/api/audit"] {
      #expect(await status(.get, path, nil, vera) == 403)
      #expect(await status(.get, path, nil, olga) == 200)
    }
    let list = await harness.call(.get, "/api/persons", as: olga).json?["persons"]?.elements ?? []
    #expect(list.compactMap { $0["name"]?.string } == ["olga@example.com", "vera@example.com"])
    let ids = try list.map { try #require($0["person_id"]?.string) }
    #expect(await status(.patch, "/api/persons/\(ids[1])", #"{"role":"tester"}"#, olga) == 200)
    #expect(await status(.delete, "/api/network", nil, vera) == 200)
    #expect(await status(.get, "/api/persons", nil, vera) == 403)
    #expect(await status(.patch, "/api/persons/\(ids[1])", #"{"role":"admin"}"#, olga) == 400)
    #expect(await status(.patch, "/api/persons/\(ids[0])", #"{"role":"viewer"}"#, olga) == 409)
    #expect(await status(.patch, "/api/persons/none", #"{"role":"viewer"}"#, olga) == 404)
  }

  @Test func everyChangeIsInTheAuditLogWithItsOutcome() async throws {
    let harness = try await Self.harness()
    let ann = try await Self.withDevice("ann@example.com", harness)
    _ = await harness.call(.get, "/api/state", as: ann)
    _ = await harness.call(.post, "/api/faults", #"{"nothing":1}"#, as: ann)
    _ = await harness.call(.delete, "/api/persons/x", as: ann)
    _ = await harness.call(.post, "/api/devices", "{}", as: Self.named("ben@example.com"))
    let log = await harness.call(.get, "/api/audit", as: Self.named("olga@example.com"))
    #expect(log.headers[.contentType] == "application/x-ndjson")
    let entries = try String(decoding: log.body, as: UTF8.self).split(separator: "\n").map {
      try JSONDocument(parsing: Array($0.utf8)).root
    }
    let told = entries.map { "\($0["person"]?.string ?? "") \($0["action"]?.string ?? "") \($0["status"]?.sourceText ?? "")" }
    #expect(
      told == [
        "ann@example.com POST /api/devices 201", "ann@example.com POST /api/faults 400",
        "ann@example.com DELETE /api/persons/x 403", "ben@example.com POST /api/devices 201",
      ])
    #expect(entries.allSatisfy { $0["client"]?.string?.isEmpty == false && $0["request_id"]?.string?.isEmpty == false })
    #expect(entries[0]["device_id"] == nil && entries[1]["device_id"]?.string?.count == 36)
    for secret in [Self.secret, ann.key] { #expect(!String(decoding: log.body, as: UTF8.self).contains(secret)) }
    let later = await harness.call(
      .get, "/api/audit?after=\(entries[2]["entry"]?.sourceText ?? "")", as: Self.named("olga@example.com"))
    #expect(String(decoding: later.body, as: UTF8.self).split(separator: "\n").count == 1)
    let newest = await harness.call(.get, "/api/audit?last=2", as: Self.named("olga@example.com"))
    let numbers = try String(decoding: newest.body, as: UTF8.self).split(separator: "\n").map {
      try JSONDocument(parsing: Array($0.utf8)).root["entry"]?.sourceText
    }
    #expect(numbers == entries.suffix(2).map { $0["entry"]?.sourceText })
    for wrong in ["0", "-1", "10001", "all"] {
      #expect(await harness.call(.get, "/api/audit?last=\(wrong)", as: Self.named("olga@example.com")).status == 400, "\(wrong)")
    }
  }

  @Test func deletingAPersonRemovesWhatIsTheirs() async throws {
    let harness = try await Self.harness()
    let ann = try await Self.withDevice("ann@example.com", harness)
    _ = await harness.call(
      .post, "/api/login/code/verify", #"{"identifier":"dana@example.com","code":"123456"}"#, as: ann)
    let ben = try await Self.withDevice("ben@example.com", harness)
    func id(_ caller: ConsoleHarness.Caller) async -> String {
      await harness.call(.get, "/api/person", as: caller).json?["person_id"]?.string ?? ""
    }
    let annID = await id(ann)
    let benID = await id(ben)
    #expect(await harness.call(.delete, "/api/persons/\(annID)", as: Self.named("olga@example.com")).status == 204)
    #expect(await harness.call(.delete, "/api/person", as: ben).status == 204)
    for (caller, old) in [(ann, annID), (ben, benID)] {
      #expect(await harness.call(.get, "/api/state", as: caller).json?["reason"]?.string == "device_unknown")
      // Who comes again is somebody new.
      let new = await id(caller)
      #expect(new != old && !new.isEmpty)
    }
    let left = try await harness.storage.read { transaction in
      try ["device", "client_token", "browser_cookie"].map { try transaction.number("SELECT count(*) FROM \($0)") ?? -1 }
    }
    #expect(left == [0, 0, 0])
    let log = String(decoding: await harness.call(.get, "/api/audit", as: Self.named("olga@example.com")).body, as: UTF8.self)
    #expect(!log.contains("ann@") && !log.contains("ben@") && log.contains("\"person_id\":\"\(annID)\""))
  }

  @Test func aFurtherBrowserGoesOnWithTheDeviceUsedLast() async throws {
    let harness = try await Self.harness()
    let first = try await Self.withDevice("ann@example.com", harness)
    let second = try await Self.withDevice("ann@example.com", harness)
    func id(_ caller: ConsoleHarness.Caller) async -> String? {
      await harness.call(.get, "/api/state", as: caller).json?["device_id"]?.string
    }
    func reuse(_ name: String) async throws -> ConsoleHarness.Caller {
      let answer = await harness.call(.post, "/api/devices", #"{"reuse":true}"#, as: Self.named(name))
      #expect(answer.status == 201)
      return Self.named(name, key: try #require(answer.json?["device_key"]?.string))
    }
    // The device that is signed in is the one in use, although another was made later.
    let code = #"{"identifier":"dana@example.com","code":"123456"}"#
    #expect(await harness.call(.post, "/api/login/code/verify", code, as: first).status == 200)
    let further = try await reuse("ann@example.com")
    let firstID = await id(first)
    let secondID = await id(second)
    let furtherID = await id(further)
    #expect(furtherID == firstID && firstID != nil && secondID != firstID && further.key != first.key)
    for _ in 2..<BrowserStore.deviceLimit { _ = try await Self.withDevice("ann@example.com", harness) }
    #expect(await harness.call(.post, "/api/devices", "{}", as: Self.named("ann@example.com")).status == 429)
    let atLimit = await id(try await reuse("ann@example.com"))
    #expect(atLimit == firstID)
    // Who has none gets a new one, and nobody another person's.
    let ben = await id(try await reuse("ben@example.com"))
    #expect(ben != nil && ben != firstID)
    #expect(await harness.call(.get, "/api/state", as: first).json?["persons"]?.sourceText == "true")
  }

  @Test func aConsoleWithoutAProxyKnowsNoPersons() async throws {
    let harness = try await ConsoleHarness()
    var caller = try await harness.caller()
    caller.fields = Self.named("olga@example.com").fields
    for path in ["/api/person", "/api/persons", "/api/audit"] {
      #expect(await harness.call(.get, path, as: caller).status == 404)
    }
    let devices = await harness.call(.get, "/api/devices", as: caller).json
    #expect(devices?["person"] == nil)
    #expect(await harness.call(.get, "/api/state", as: caller).json?["persons"]?.sourceText != "true")
    // Only a person's devices are shared by browsers.
    let made = await harness.call(.post, "/api/devices", #"{"reuse":true}"#, as: caller)
    #expect(made.json?["device_id"]?.string != devices?["devices"]?.elements.first?["device_id"]?.string)
    let id = devices?["devices"]?.elements.first?["device_id"]?.string ?? ""
    #expect(await harness.call(.post, "/api/devices/\(id)/key", "{}", as: caller).status == 404)
  }
}
