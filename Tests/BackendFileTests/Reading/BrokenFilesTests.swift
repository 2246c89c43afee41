import HTTPTypes
import Testing

@testable import BackendFile

/// Each file of `Tests/Fixtures/broken-backend-files` begins with a comment that has its message.
struct BrokenFilesTests {
  private static let folder = "Tests/Fixtures/broken-backend-files"

  @Test func messageNamesPlaceAndRemedy() throws {
    let names = try Samples.names(in: Self.folder, ending: ".yaml")
    #expect(names.count >= 17)
    for name in names {
      let bytes = try Samples.bytes("\(Self.folder)/\(name).yaml")
      let first = try #require(String(decoding: bytes, as: UTF8.self).split(separator: "\n").first)
      #expect(first.hasPrefix("# "))
      let message = #expect(throws: BackendFileError.self, "\(name)") { try BackendDefinition(parsing: bytes, file: name) }
      #expect(message?.text == "\(name):\(first.dropFirst(2))")
    }
  }

  @Test func largeFileIsRejected() {
    let file = Array("understudy: 1\n# ".utf8) + [UInt8](repeating: 0x2E, count: BackendDefinition.maximumBytes)
    let error = #expect(throws: BackendFileError.self) { try BackendDefinition(parsing: file, file: "x.yaml") }
    #expect(error?.text == "x.yaml:1:1: larger than 256 KiB")
  }

  @Test func bracesAndEqualsSignsWithoutEndAreReadAtOnce() {
    let braces = String(repeating: "{", count: 100_000) + " }"
    #expect(Template(braces, at: .none).literalText == braces)
    let match = "400 /" + String(repeating: "=", count: 200_000)
    let error = #expect(throws: BackendFileError.self) {
      try Samples.definition("calls:\n  me: GET /me\nerrors:\n  ? \"\(match)\"\n  : ended")
    }
    #expect(error?.text.count ?? 0 < 300)
  }

  @Test func deepFileIsRejected() {
    let body = String(repeating: "[", count: 200) + String(repeating: "]", count: 200)
    #expect(throws: BackendFileError.self) { try Samples.definition(.loginWithCode, "    request: POST /x\n    json: \(body)") }
  }

  @Test func callHasFewRequests() throws {
    _ = try Samples.definition("calls:\n  me: [\(Array(repeating: "GET /a", count: 10).joined(separator: ", "))]")
    let error = #expect(throws: BackendFileError.self) {
      try Samples.definition("calls:\n  me: [\(Array(repeating: "GET /a", count: 11).joined(separator: ", "))]")
    }
    #expect(error?.text == "x.yaml:3:7: calls.me: write at most 10 requests")
  }

  /// As paths of the backend, absolute URLs get the common header fields.
  @Test func boundFileIsCheckedAgain() throws {
    let definition = try Samples.definition(
      "url: https://api.example\ncalls:\n  login_with_code: {request: POST https://api.example/x, auth: true}\n  me: GET /me")
    #expect(
      try definition.bound(to: WebOrigin(host: "x.example"), others: [#require(AllowedHost("api.example"))]).hosts.count == 1)
    let error = #expect(throws: BackendFileError.self) { try definition.bound(to: WebOrigin(host: "api.example"), others: []) }
    #expect(
      error?.text == "x.yaml:4:30: calls.login_with_code.request: {access_token} is known only after the sign-in")
    let plain = try Samples.definition("url: https://api.example\ncalls:\n  me: GET https://api.example/me")
    #expect(plain.hosts.count == 1)
    #expect(try plain.bound(to: WebOrigin(host: "api.example"), others: []).hosts.isEmpty)
  }

  @Test func requestGoesToNamedHostsOnly() throws {
    let definition = try Samples.definition(
      """
      calls:
        refresh_tokens: POST https://id.example:8443/token
        me: GET https://API.example/me
      """)
    let backend = WebOrigin(host: "api.example")
    #expect(definition.hosts.map(\.origin.authority) == ["id.example:8443", "api.example"])
    let error = #expect(throws: BackendFileError.self) { try definition.bound(to: backend, others: []) }
    #expect(
      error?.text
        == "x.yaml:3:19: calls.refresh_tokens: id.example:8443 is not the backend's host: allow it with "
        + "--backend-file-host id.example:8443")
    for text in ["id.example:8443", "id.example", "ID.example"] {
      let host = try #require(AllowedHost(text))
      #expect(throws: Never.self) { try definition.bound(to: backend, others: [host]) }
    }
    let bound = try definition.bound(to: backend, others: [try #require(AllowedHost("id.example"))])
    #expect(bound.calls.map(\.requests[0].origin) == [WebOrigin(host: "id.example", port: 8443), nil])
    #expect(try bound.rendered(.me, 0, ["access_token": "t"]).headers[.authorization] == "Bearer t")
    for text in ["id.example:443", "example", "api.id.example"] {
      let host = try #require(AllowedHost(text))
      #expect(throws: BackendFileError.self) { try definition.bound(to: backend, others: [host]) }
    }
    #expect(throws: BackendFileError.self) {
      try definition.bound(to: WebOrigin(host: "api.example", port: 8443), others: [try #require(AllowedHost("id.example"))])
    }
  }

  @Test(arguments: ["", "a b", "user@id.example", "id.example:0", "id.example:99999", "id.example/x", "*.example", "id..example"])
  func hostIsANameWithAnOptionalPort(_ text: String) { #expect(AllowedHost(text) == nil) }

  @Test(arguments: [
    "https://id.example@evil.example/x", "https://id.example:1:2/x", "https:///x", "//evil.example/x", "https://id.{state}/x",
    "ftp://id.example/x", "/a\\b", "/a#b", "/%2e%2e/x", "/a b", "/%zz",
  ]) func unusualTargetIsRejected(_ target: String) {
    #expect(throws: BackendFileError.self) { try Samples.definition("calls:\n  login_with_code: 'GET \(target)'") }
  }

  @Test func plainWordsBesideSecretsAreNoSecrets() throws {
    _ = try Samples.definition(
      .loginWithCode,
      """
          request: POST /v1/projects/5f8d0d55-b54a-4f3c-9e0a-1c2d3e4f5a6b/x?include_auth_token&token_format=opaque&with_token=true
          headers: {X-Amz-Target: AWSCognitoIdentityProviderService.RespondToAuthChallenge, Authorization: "Bearer {code}"}
          form:
            grant_type: password
            token_type_hint: refresh_token
            client_id: 407408718192-a8n3bmd.apps.googleusercontent.com
            scope: openid offline_access https://www.googleapis.com/auth/userinfo.profile
            client_assertion_type: urn:ietf:params:oauth:client-assertion-type:jwt-bearer
            token_type: Bearer
            remember_token: "true"
            audience: 84a3ddace3d1ee9fc33572e50b
      """)
  }
}
