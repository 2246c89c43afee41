import Client
import Foundation
import HTTPTypes
import JSON
import Observability
import RPC
import Support
import Locking
import Testing
import Text
import Vault

@testable import Console
@testable import Server
import Redaction

/// Release gate: secrets that a device learns are sent and received in every encoding, and must not appear in anything that leaves
/// the console or stays in its folder.
@Suite(.timeLimit(.minutes(4))) struct CanaryGateTests {
  /// The secrets that a device learns at a sign-in, and the calls from which it learns them.
  private struct Secrets {
    private static func letters(_ count: Int) -> String {
      let letters = Array("abcdefghkmnpqrstuvwxyz")
      return String((0..<count).map { _ in letters[.random(in: letters.indices)] })
    }
    let claims = Base64URL.encode(SecureRandom.bytes(24))
    let signature = Base64URL.encode(SecureRandom.bytes(32))
    var access: String { "eyJhbGciOiJIUzI1NiJ9.\(claims).\(signature)" }
    let refresh = letters(28)
    let linkToken = letters(24)
    let linkState = letters(16)
    let identifier = "\(letters(7)).\(letters(5))+qa@\(letters(8)).test"
    let email = "\(letters(9))@\(letters(6)).example.test"
    let phone = "+4917" + SecureRandom.digits(9)
    let code = SecureRandom.digits(6)

    /// The secrets that no call may contain; codes are masked in login calls only.
    var all: [CanaryText] {
      [
        ("access token", access), ("claims of a token", claims), ("signature of a token", signature), ("refresh token", refresh),
        ("link token", linkToken), ("link state", linkState), ("identifier", identifier), ("email", email), ("phone", phone),
      ].map { CanaryText(name: $0.0, value: $0.1) }
    }
  }

  private let secrets = Secrets()
  private let captured = CapturedLog()
  private let folder: TemporaryFolder
  private let harness: ConsoleHarness
  private let drift = DriftDetector(source: "all.json", comparer: ExchangeComparer(rowLimit: 10_000))

  init() async throws {
    folder = try TemporaryFolder()
    harness = try await ConsoleHarness(logger: captured.logger(), databasePath: folder.file("console.sqlite"), drift: drift)
    // A comparison that reports every name of both bodies, so that a name with a secret is in a pointer.
    drift.comparer.start { exchange in
      Self.names(in: exchange.response?.body ?? []).map { Self.drift(.response, $0) }
        + Self.names(in: exchange.request.body).map { Self.drift(.request, $0) }
    }
  }

  private static func drift(_ side: NetworkDrift.Side, _ name: String) -> NetworkDrift {
    let escaped = name.replacing("~", with: "~0").replacing("/", with: "~1")
    return NetworkDrift(side: side, pointer: "/map/\(escaped)", expected: "string", got: "number", kind: .invalid)
  }

  /// The names of all members of a document at any depth.
  private static func names(in body: [UInt8]) -> [String] {
    func names(_ node: JSONNode) -> [String] {
      node.members.flatMap { [$0.key] + names($0.value) } + node.elements.flatMap(names)
    }
    return (try? JSONDocument(parsing: body)).map { names($0.root) } ?? []
  }

  private func json(_ text: String, status: Int = 200, headers: HTTPFields = [:]) -> TransportResponse {
    var response = TransportResponse(status: status, headers: [.contentType: "application/json"], body: Array(text.utf8))
    response.headers.append(contentsOf: headers)
    return response
  }

  /// Signs in by link and then by code, so that the device learns every secret.
  private func signedIn() async throws -> ConsoleHarness.Caller {
    let tokens = json(
      #"{"access_token":"\#(secrets.access)","refresh_token":"\#(secrets.refresh)","token_type":"Bearer","expires_in":900,"#
        + #""expires_at":"2026-11-21T12:00:00.000Z","refresh_expires_in":1209600,"refresh_expires_at":"2026-12-05T12:00:00.000Z","#
        + #""session_id":"session"}"#)
    let me = json(
      #"{"user_id":"user","account_id":"account","email":"\#(secrets.email)","phone":"\#(secrets.phone)","roles":["user"],"#
        + #""profiles":[],"created_at":"2026-01-01T00:00:00.000Z"}"#)
    for path in [AuthEndpoints.LoginWithMagicToken.path, AuthEndpoints.LoginWithCode.path, AuthEndpoints.RefreshTokens.path] {
      harness.backend.on(path) { _ in tokens }
    }
    harness.backend.on(AccountEndpoints.Me.path) { _ in me }
    var caller = try await harness.caller()
    func call(_ path: String, _ body: String) async throws {
      let answer = await harness.call(.post, path, body, as: caller)
      try #require(answer.status < 300, "\(path) \(answer.status) \(answer.code ?? "")")
      if let cookie = answer.headers[.setCookie]?.split(separator: ";").first { caller.cookie = String(cookie) }
    }
    try await call("/api/login/magic-link", #"{"identifier":"\#(secrets.identifier)"}"#)
    try await call(
      "/api/login/magic-link/complete",
      #"{"token":"\#(secrets.linkToken)","state":"\#(secrets.linkState)","accept_foreign":true}"#)
    try await call("/api/login/code/verify", #"{"identifier":"\#(secrets.identifier)","code":"\#(secrets.code)"}"#)
    try #require(await harness.call(.get, "/api/account", as: caller).status == 200)
    return caller
  }

  /// An answer that carries a text in its headers and in a body of one of many forms.
  private static func echo(_ text: String, _ turn: Int) -> TransportResponse {
    let inJSON = text.contains("\\") ? text : text.replacing("\"", with: "\\\"")
    let nested = String(decoding: JSONStringText.quoted(#"{"deep":["\#(inJSON)"]}"#), as: UTF8.self)
    let bodies = [
      #"{"cue_id":"c","echo":"\#(inJSON)","list":[[{"a":{"b":"x \#(inJSON) y"}}]],"nested":\#(nested)}"#,
      #"{"\#(inJSON)":1.50}"#, "{}\n[\"\(inJSON)\"]\n", "event: a\ndata: {\"a\":\"\(inJSON)\"}\n\n",
      "a=1&b=\(CanaryText.percent(text, all: false))", "<p>\(text)</p>", "{\"a\":\"\(inJSON)",
      #"{"error":{"code":"conflict","message":"no: \#(inJSON)"}}"#,
      "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n\(text)\r\n--b--\r\n",
    ]
    var headers: HTTPFields = [:]
    for (name, value) in [
      ("X-Echo", text), ("ETag", "\"\(text)\""), ("Location", "https://a.test/b?c=\(text)#d=\(text)"),
      ("Set-Cookie", "a=\(text)"), ("User-Agent", "a \(text) b"), ("WWW-Authenticate", "Bearer error=\"\(text)\""),
    ] {
      if let name = HTTPField.Name(name) { headers.append(HTTPField(name: name, value: value)) }
    }
    return TransportResponse(
      status: turn.isMultiple(of: 3) ? 409 : 200, headers: headers, body: Array(bodies[turn % bodies.count].utf8))
  }

  /// Sends and gets back every secret in every encoding; how many combinations of secret, carrier and encoding that were.
  private func exercise(_ caller: ConsoleHarness.Caller) async throws -> Int {
    var combinations = 0
    for secret in secrets.all {
      for (turn, encoding) in CanaryText.encodings.enumerated() {
        let text = encoding.write(secret.value)
        harness.backend.on(CueEndpoints.UpdateCueStage.path) { _ in Self.echo(text, turn) }
        let query =
          "x=1&q=\(CanaryText.percent(text, all: false))&redirect="
          + CanaryText.percent("https://a.test/?y=" + CanaryText.percent(text, all: false), all: false)
        let inJSON = String(decoding: JSONStringText.quoted(text), as: UTF8.self)
        let request =
          #"{"method":"POST","path":"/rpc/update_cue_stage","query":"\#(query)","auth":true,"confirm":true,"#
          + #""body":{"cue_id":"c","stage":\#(inJSON),"deep":{"list":[\#(inJSON)]}}}"#
        let answer = await harness.call(.post, "/api/network/requests", request, as: caller)
        try #require(answer.status == 202, "\(answer.code ?? "") \(encoding.name)")
        let path = "/a/\(CanaryText.percent(text, all: false))/b"
        let other = await harness.call(
          .post, "/api/network/requests", #"{"method":"GET","path":"\#(path)","auth":false}"#, as: caller)
        // Some ways to write a text make a path that the composer refuses.
        try #require(other.status == 202 || other.code == "invalid_request", "\(other.code ?? "") \(encoding.name)")
        try await end(answer.json?["id"]?.string, caller)
        try await end(other.json?["id"]?.string, caller)
        // Two query items, two places of the request's body, six headers and a body of the answer; the path.
        combinations += other.status == 202 ? 12 : 11
      }
    }
    return combinations
  }

  private func end(_ id: String?, _ caller: ConsoleHarness.Caller) async throws {
    guard let id else { return }
    let hasEnded = await eventually {
      let state = await harness.call(.get, "/api/network/\(id)", as: caller).json?["state"]?.string
      return state != "pending" && state != "waiting"
    }
    #expect(hasEnded)
  }

  /// Everything that leaves the console or stays in its folder.
  private func channels(_ caller: ConsoleHarness.Caller, _ stream: EventSubscription) async throws -> [(
    name: String, bytes: [UInt8]
  )] {
    var channels: [(name: String, bytes: [UInt8])] = []
    func ask(_ path: String) async -> ConsoleHarness.Answer {
      let answer = await harness.call(.get, path, as: caller)
      channels.append((path, answer.body))
      return answer
    }
    let rows = await ask("/api/network?limit=10000").json?["events"]?.elements ?? []
    // The three forms to copy are made of one view of the row.
    let forms = ["/curl", "/swift", "/markdown"]
    for (index, row) in rows.enumerated() {
      let id = row["id"]?.string ?? ""
      for view in ["", forms[index % forms.count]] { _ = await ask("/api/network/\(id)\(view)") }
    }
    for path in ["/api/timeline", "/api/drift", "/api/faults", "/api/devices", "/api/network/search?body=a", "/metrics"] {
      _ = await ask(path)
    }
    if case .events(let bytes) = stream.take(upTo: .max) { channels.append(("stream", bytes)) }
    let device = try #require(await harness.registry.awakeDevices().first)
    let bundle = ExportBundle(
      selection: ExportSelection(of: device.log), surroundings: try await device.surroundings(),
      viewer: ViewerPage(Array(ViewerPage.place.utf8)))
    for file in bundle.files {
      channels.append((file.name, Array(file.name.utf8) + (0..<file.pieceCount).flatMap { file.piece($0) }))
    }
    let lines = captured.lines.map { "\($0.label) \($0.message) \($0.metadata)" }
    channels.append(("log", Array(lines.joined(separator: "\n").utf8)))
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      channels.append((name, Array(FileManager.default.contents(atPath: folder.file(name)) ?? Data())))
    }
    return channels
  }

  @Test func noCanaryLeavesThroughAnyChannel() async throws {
    let caller = try await signedIn()
    let device = try #require(await harness.registry.awakeDevices().first)
    device.log.setCapacity(5000)
    let stream = device.events.subscribe(after: nil)
    let combinations = try await exercise(caller)
    #expect(combinations >= 1000)
    await drift.comparer.finish()
    #expect(drift.comparer.counts.dropped == 0)
    #expect(device.log.rows().events.contains { $0.drift?.contains { $0.pointer.hasPrefix("/map/‹") } == true })
    let channels = try await channels(caller, stream)
    for name in ["stream", "log", "console.sqlite", "console.sqlite-wal", "session.har", "rows.json", "report.md"] {
      #expect(channels.contains { $0.name == name && !$0.bytes.isEmpty }, "\(name)")
    }
    let canaries = secrets.all + [CanaryText(name: "code", value: secrets.code)]
    for channel in channels {
      let text = CanaryText.searchable(channel.bytes)
      for canary in canaries {
        let leaks = canary.leaks(in: text)
        if !leaks.isEmpty { Issue.record("\(canary.name) in \(channel.name): \(leaks)") }
      }
    }
    // The look is no blind one: what was sent holds each of them.
    var sent: [UInt8] = []
    for request in harness.backend.state.withLock({ $0.requests }) {
      sent += Array(request.url.utf8) + (request.body ?? []) + [0x0a]
    }
    let text = CanaryText.searchable(sent)
    for canary in canaries { #expect(!canary.leaks(in: text).isEmpty, "\(canary.name)") }
  }
}
