import Foundation
import JSON
import Support
import Testing

/// A running `understudy serve` as an attacker sees it.
final class ConsoleTarget: Sendable {
  /// The one that the attacks of a run share.
  @TaskLocal static var shared: ConsoleTarget?

  /// A route in the program's own description, so that new routes are attacked automatically.
  struct Route: Hashable, Sendable, CustomStringConvertible {
    let method: String
    let path: String

    /// Whether a call of it can change something.
    var isChange: Bool { method != "GET" && method != "HEAD" }
    /// Whether it is open to everyone who passes the gate.
    var isOpen: Bool {
      ["/healthz", "/metrics", "/api/openapi.json", "/api/access", "/api/browser"].contains(path) || self == Self.newDevice
    }
    /// Whether only a person whom a proxy names can call it; a console without a proxy has no such route.
    var isOfPersons: Bool {
      ["/api/person", "/api/audit", "/api/account-leases", "/api/workspaces"].contains { path.hasPrefix($0) }
        || path.hasSuffix("/key")
    }
    /// What a caller gets who shows a cookie without its device's key.
    var refusal: (status: Int, code: String) {
      // The recordings of a workspace are deleted by way of a device, which is asked for first.
      let isOfDevice = (method, path) == ("DELETE", "/api/workspaces/0")
      return isOfPersons && !isOfDevice ? (404, "not_found") : (401, "no_device")
    }
    var description: String { "\(method) \(path)" }
    static let newDevice = Route(method: "POST", path: "/api/devices")
  }

  let folder: TemporaryFolder
  let console: ConsoleProcess
  let routes: [Route]
  /// Every page and file that is served, as a browser requests it.
  let files: [String]

  var port: UInt16 { console.port }
  /// The routes that the pages call.
  var calls: [Route] { routes.filter { $0.path.hasPrefix("/api/") } }

  /// Starts the program with a new folder and reads what it serves.
  init(arguments: [String] = ["--access-log"]) throws {
    folder = try TemporaryFolder()
    console = try ConsoleProcess(data: folder.file("data"), arguments: arguments)
    let description = try LoopbackCall(port: console.port, method: "GET", target: "/api/openapi.json").answer()
    let paths = try #require(try JSONDocument(parsing: description.body).root["paths"])
    routes = paths.members.flatMap { path, operations in
      operations.members.compactMap { name, _ in
        let isMethod = ["get", "post", "put", "patch", "delete"].contains(name)
        return isMethod ? Route(method: name.uppercased(), path: Self.filled(path)) : nil
      }
    }
    let pages = URL(fileURLWithPath: "Public").resolvingSymlinksInPath().path
    let found = try FileManager.default.subpathsOfDirectory(atPath: pages)
    let served = found.filter { $0.contains(".") && !$0.hasPrefix("parts/") && !$0.hasPrefix("assets/locales/") }
    files = try served.map { "/" + ($0.hasSuffix(".html") ? String($0.dropLast(5)) : $0) } + Self.words(below: pages)
  }

  /// The paths of the words of every language, which the console makes of the files in `assets/locales`.
  private static func words(below pages: String) throws -> [String] {
    let folder = pages + "/assets/locales"
    return try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".json") }.flatMap { name in
      let language = try JSONDocument(parsing: Array(Data(contentsOf: URL(fileURLWithPath: folder + "/" + name))))
      let sections = language.root.members.filter { $0.value.kind == .object }
      return sections.map { "/assets/locales/\(name.dropLast(5))/\($0.key).json" }
    }
  }

  /// A path that the template matches.
  private static func filled(_ template: String) -> String {
    "/" + template.split(separator: "/").map { $0.hasPrefix("{") ? "0" : String($0) }.joined(separator: "/")
  }

  /// A browser with a signed-in device.
  func victim(_ identifier: String = "victim@example.com") throws -> ConsoleBrowser {
    let browser = ConsoleBrowser(port: port)
    try browser.makeDevice()
    let answer = try browser.signIn(identifier)
    guard answer.status == 200 else { throw LoopbackCall.Failure.incomplete(answer.raw.body) }
    return browser
  }

  /// One call with exactly these header fields.
  func send(
    _ route: Route, headers: [(String, String)] = [], body: String? = nil, host: String? = nil
  ) throws -> LoopbackCall.Answer {
    try LoopbackCall(
      port: port, method: route.method, target: route.path, headers: headers, body: body.map { Array($0.utf8) }, host: host
    ).answer()
  }

  /// One GET.
  func get(_ path: String, headers: [(String, String)] = [], host: String? = nil) throws -> LoopbackCall.Answer {
    try send(Route(method: "GET", path: path), headers: headers, host: host)
  }

  /// The state of a device and its account, to be compared before and after an attack.
  func picture(of browser: ConsoleBrowser) throws -> [String] {
    try ["/api/state", "/api/devices", "/api/profiles", "/api/network"].map { path in
      let answer = try browser.call("GET", path)
      guard path != "/api/network" else { return "\(answer.status) \((answer.json?["events"]?.count ?? 0) > 0)" }
      // Each request fetches the profiles anew.
      let text = answer.raw.text.replacing(/"synced_at":"[^"]*"/, with: "")
      return "\(answer.status) \(text)"
    }
  }
}

extension ConsoleBrowser {
  /// The header fields that authenticate this browser's tab.
  var passes: [(String, String)] { [("Cookie", cookie ?? ""), ("X-Device-Key", deviceKey ?? "")] }
}

/// Starts one console for all attacks of a suite and stops it after them.
struct ConsoleUnderAttack: SuiteTrait, TestScoping {
  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    let target = try await OwnThread.run { try ConsoleTarget() }
    try await ConsoleTarget.$shared.withValue(target) { try await function() }
    let code = try await OwnThread.run { target.console.end(by: SIGTERM) }
    #expect(code == 0, "it ran until the end of the suite")
  }
}

extension Trait where Self == ConsoleUnderAttack {
  /// One running console for all tests of the suite.
  static var consoleUnderAttack: Self { Self() }
}

/// Attacks on the running program, `understudy serve`; `SECURITY.md` lists them by their numbers.
///
/// Every route of the program's own description is attacked, and every file that it serves.
@Suite(.serialized, .consoleUnderAttack, .timeLimit(.minutes(5))) struct ConsoleAttackTests {
  /// Runs an attack on the shared console, on a thread that may block.
  static func attack(_ body: @escaping @Sendable (ConsoleTarget) throws -> Void) async throws {
    let target = try #require(ConsoleTarget.shared)
    #expect(target.routes.count >= 35 && target.files.count >= 60, "there is something to attack")
    try await OwnThread.run { try body(target) }
  }
}
