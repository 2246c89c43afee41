import HTTPTypes
import JSON
import OpenAPI
import Testing

@testable import Console

/// Invalid values in every form of the account are refused at their member and change nothing.
@Suite(.timeLimit(.minutes(2))) struct BadInputTests {
  static let members = [
    ("/api/profiles", "language_code"), ("/api/account/language", "language_code"), ("/api/profiles/active", "profile_id"),
    ("/api/account/deletion", "confirmation"), ("/api/account/analytics", "opted_in"), ("/api/analytics", "name"),
  ]

  /// JSON values that are invalid for every member.
  static let values = [
    "\"\"", "\"\(String(repeating: "a", count: 10_000))\"", "\"\\u0000\\u0007\\u001b[31m\"", "\"👩🏽‍🚀\"", "\"\u{202E}כן\"",
    "\"<img src=x onerror=alert(1)>\"", "null", "7", "[]", "{}", "1e999", "\"\\ud800\"",
  ]

  /// The account without the time at which it was fetched.
  private func account(_ harness: ConsoleHarness, _ caller: ConsoleHarness.Caller) async -> String? {
    await harness.call(.get, "/api/account", as: caller).json?.sourceText.replacing(/"synced_at":"[^"]*"/, with: "")
  }

  @Test(arguments: members)
  func anInvalidValueIsRefusedAtItsMember(_ place: (path: String, member: String)) async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    let before = await account(harness, caller)
    for value in Self.values {
      let answer = await harness.call(.post, place.path, "{\"\(place.member)\":\(value)}", as: caller)
      #expect([400, 404, 422].contains(answer.status), "\(value.prefix(20)) \(answer.status)")
      // Invalid JSON and an unknown id have no member.
      if answer.status != 404, value != "\"\\ud800\"" {
        #expect(answer.json?["field"]?.string == place.member, "\(value.prefix(20))")
      }
    }
    #expect(await account(harness, caller) == before)
  }

  @Test(arguments: members)
  func anInvalidBodyIsRefused(_ place: (path: String, member: String)) async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    for body in [
      "", "{", "[]", "null", "{\"\(place.member)\":\"a\",\"\(place.member)\":\"b\"}", String(repeating: "[", count: 5_000),
    ] {
      let answer = await harness.call(.post, place.path, body.isEmpty ? nil : body, as: caller)
      #expect(answer.status == 400 && answer.code == "invalid_request", "\(body.prefix(10)) \(answer.status)")
    }
    let large = "{\"\(place.member)\":\"\(String(repeating: "a", count: 1 << 20))\"}"
    #expect(await harness.call(.post, place.path, large, as: caller).status == 413)
  }

  /// Every route that takes JSON has a schema that can be checked.
  @Test func theSchemaOfEveryRouteRefusesWhatIsNoObject() async throws {
    let routes = try await ConsoleHarness().application.routes.filter { $0.operation.request?.jsonSchema != nil }
    #expect(routes.count > 20)
    for route in routes {
      #expect(throws: RequestSchema.Difference.self, "\(route.path)") {
        try route.requestSchema.check(try JSONDocument(parsing: Array("[]".utf8)))
      }
    }
  }

  @Test(arguments: [
    ("a", 201), (String(repeating: "a", count: 60), 201), (String(repeating: "é", count: 61), 400), ("", 400),
    ("a\u{202E}b", 400),
  ])
  func aDeviceNameHas1To60VisibleCharacters(_ name: String, status: Int) async throws {
    let harness = try await ConsoleHarness()
    let answer = await harness.call(.post, "/api/devices", "{\"name\":\"\(name)\"}", as: try await harness.caller())
    #expect(answer.status == status, "\(answer.status)")
    if status == 400 { #expect(answer.json?["field"]?.string == "name") }
  }

  @Test func signedOutCallersAreToldSo() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.caller()
    for (path, body) in [
      ("/api/profiles", #"{"language_code":"de"}"#), ("/api/account/language", #"{"language_code":"de"}"#),
      ("/api/profiles/active", #"{"profile_id":"x"}"#), ("/api/account/deletion", #"{"confirmation":"DELETE"}"#),
      ("/api/account/analytics", #"{"opted_in":false}"#),
    ] {
      let answer = await harness.call(.post, path, body, as: caller)
      #expect(answer.status == 401 && answer.code == "signed_out", "\(path)")
    }
    for path in ["/api/account", "/api/profiles"] { #expect(await harness.call(.get, path, as: caller).code == "signed_out") }
  }
}
