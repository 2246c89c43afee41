import Console
import HTTPTypes
import Testing

@Suite struct GateTests {
  let gate = Gate(
    home: Origin(scheme: "http", host: "localhost", port: 8080), listeningPort: 8080, publicOrigins: [], isBehindProxy: false)

  static func caller(
    _ method: HTTPRequest.Method = .get, _ path: String = "/api/state", host: String? = "localhost:8080",
    _ headers: [(String, String)] = [], body: Bool = false, tls: Bool = false
  ) -> Gate.Caller<String.UTF8View> {
    var fields = HTTPFields()
    if let host { append(&fields, "Host", host) }
    for (name, value) in headers { append(&fields, name, value) }
    return Gate.Caller(method: method, path: path, headers: fields, isTLS: tls, hasBody: body)
  }

  private static func append(_ fields: inout HTTPFields, _ name: String, _ value: String) {
    guard let name = HTTPField.Name(name) else { return }
    fields.append(HTTPField(name: name, value: value))
  }

  @Test(arguments: ["localhost:8080", "LOCALHOST:8080", "127.0.0.1:8080", "[::1]:8080"])
  func ownNamesPass(host: String) {
    #expect(gate.judge(Self.caller(host: host)) == .pass)
  }

  @Test(arguments: [
    "evil.example", "localhost", "localhost:8081", "localhost:08080x", "localhost.:8080", "127.0.0.2:8080", "0.0.0.0:8080",
    "localhost:8080@evil.example", "[::1]", "rebind.localhost:8080", "localhost:99999", "localhost:", "",
  ])
  func otherNamesAreMisdirected(host: String) {
    #expect(gate.judge(Self.caller(host: host)) == .misdirected)
    #expect(gate.judge(Self.caller(.get, "/assets/js/api.js", host: host)) == .misdirected)
  }

  @Test func aMissingHostIsMisdirected() { #expect(gate.judge(Self.caller(host: nil)) == .misdirected) }

  @Test(arguments: [
    "http://evil.example", "null", "http://localhost", "http://localhost:8081", "https://localhost:8080", "http://127.0.0.1:8080",
    "http://localhost:8080/", "", "http://localhost:8080 http://evil.example",
  ])
  func otherOriginsAreRefused(origin: String) {
    #expect(gate.judge(Self.caller(.post, "/api/logout", [("Origin", origin)])) == .refuse(.originRefused))
  }

  @Test func twoOriginsAreRefused() {
    let headers = [("Origin", "http://localhost:8080"), ("Origin", "http://evil.example")]
    #expect(gate.judge(Self.caller(.post, "/api/logout", headers)) == .refuse(.originRefused))
  }

  @Test func theOriginHasToMatchTheHost() {
    let headers = [("Origin", "http://127.0.0.1:8080")]
    #expect(gate.judge(Self.caller(.post, "/api/logout", host: "127.0.0.1:8080", headers)) == .pass)
    #expect(gate.judge(Self.caller(.post, "/api/logout", host: "localhost:8080", headers)) == .refuse(.originRefused))
  }

  @Test(arguments: ["cross-site", "same-site", "none", "", "same-origin, cross-site"])
  func foreignFetchMetadataIsRefused(site: String) {
    #expect(gate.judge(Self.caller(.post, "/api/logout", [("Sec-Fetch-Site", site)])) == .refuse(.originRefused))
  }

  @Test func aTypedAddressCanReadButNotWrite() {
    #expect(gate.judge(Self.caller(.get, "/api/state", [("Sec-Fetch-Site", "none")])) == .pass)
    #expect(gate.judge(Self.caller(.delete, "/api/network", [("Sec-Fetch-Site", "none")])) == .refuse(.originRefused))
  }

  @Test(arguments: [
    "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonx", "text/json", "",
    "application/json; charset=utf-16", "application/json, text/plain",
  ])
  func otherMediaTypesAreRefused(type: String) {
    let caller = Self.caller(.post, "/api/logout", [("Content-Type", type)], body: true)
    #expect(gate.judge(caller) == .refuse(.unsupportedMediaType))
  }

  @Test func aBodyWithoutATypeIsRefused() {
    #expect(gate.judge(Self.caller(.post, "/api/logout", body: true)) == .refuse(.unsupportedMediaType))
  }

  @Test(arguments: [
    "application/json", "Application/JSON", "application/json; charset=UTF-8", "application/json;charset=\"utf-8\"",
  ])
  func jsonPasses(type: String) {
    #expect(gate.judge(Self.caller(.post, "/api/logout", [("Content-Type", type)], body: true)) == .pass)
  }

  @Test func pagesUnderAnotherNameOfThisMachineAreRedirected() {
    let page = Self.caller(.get, "/settings", host: "127.0.0.1:8080", [("Sec-Fetch-Dest", "document")])
    #expect(gate.judge(page) == .redirect(to: "http://localhost:8080/settings"))
    let script = Self.caller(.get, "/assets/js/api.js", host: "127.0.0.1:8080", [("Sec-Fetch-Dest", "script")])
    #expect(gate.judge(script) == .pass)
  }

  @Test func publicOriginsAreAccepted() {
    let gate = Gate(
      home: Origin(scheme: "https", host: "console.example", port: 443), listeningPort: 8080,
      publicOrigins: [Origin(scheme: "https", host: "console.example", port: 443)], isBehindProxy: true)
    #expect(gate.judge(Self.caller(host: "console.example")) == .pass)
    let call = Self.caller(.post, "/api/logout", host: "console.example", [("Origin", "https://console.example")])
    #expect(gate.judge(call) == .pass)
    #expect(gate.judge(Self.caller(host: "other.example")) == .misdirected)
  }

  /// A proxy on this machine: the way around it would be the way around whom it lets in.
  @Test func nobodyIsLedFromAPublicOriginToTheConsolesOwn() {
    let gate = Gate(
      home: Origin(scheme: "http", host: "localhost", port: 8080), listeningPort: 8080,
      publicOrigins: [Origin(scheme: "http", host: "localhost", port: 9090)], isBehindProxy: true)
    #expect(gate.judge(Self.caller(.get, "/login", host: "localhost:9090", [("Sec-Fetch-Dest", "document")])) == .pass)
    let other = gate.judge(Self.caller(.get, "/login", host: "127.0.0.1:8080", [("Sec-Fetch-Dest", "document")]))
    #expect(other == .redirect(to: "http://localhost:8080/login"))
  }

  @Test func anotherLoopbackAddressOfTheConsoleIsAccepted() {
    let gate = Gate(
      home: Origin(scheme: "http", host: "127.0.0.5", port: 8080), listeningPort: 8080, publicOrigins: [], isBehindProxy: false)
    #expect(gate.judge(Self.caller(host: "127.0.0.5:8080")) == .pass)
    #expect(gate.judge(Self.caller(host: "127.0.0.6:8080")) == .misdirected)
  }

  @Test func aContainerIsReachedByItsPublishedPortAndItsOwn() {
    let gate = Gate(
      home: Origin(scheme: "http", host: "localhost", port: 9090), listeningPort: 8080,
      publicOrigins: [Origin(scheme: "http", host: "localhost", port: 9090)], isBehindProxy: false)
    #expect(gate.judge(Self.caller(host: "localhost:9090")) == .pass)
    #expect(gate.judge(Self.caller(host: "127.0.0.1:8080")) == .pass)
    #expect(gate.judge(Self.caller(host: "localhost:7070")) == .misdirected)
  }
}
