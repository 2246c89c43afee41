import Client
import Domain
import Logging
import RPC
import Support
import Testing

@Suite(.timeLimit(.minutes(1)))
struct AccountGatewayTests {
  @Test(arguments: [
    (-1, (cooldown: 0, length: 1, capacity: 1, margin: 0)),
    (6, (cooldown: 6, length: 6, capacity: 6, margin: 6)),
    (1 << 40, (cooldown: 86_400, length: 32, capacity: 100_000, margin: 86_400)),
  ])
  func numbersOfTheConfigurationAreClamped(number: Int, expected: (cooldown: Int, length: Int, capacity: Int, margin: Int))
    async throws
  {
    let bench = try ClientHarness()
    let body = """
      {"default_language_code":"en","supported_languages":[],"features":{"login_code":true,"analytics_opt_out":true,
      "developer_tools":true,"account_deletion":true,"logout_endpoint":false,"idempotency_keys":true},
      "auth":{"cooldown_seconds":\(number),"code_length":\(number),"trusted_link_hosts":[]},
      "network_log":{"capacity":\(number)},"session":{"refresh_margin_seconds":\(number)}}
      """
    bench.backend.script(AppEndpoints.AppConfig.path, [.success(TransportResponse(status: 200, body: Array(body.utf8)))])
    let config = try await bench.stack.account.fetchAppConfig()
    #expect(config.cooldownSeconds == expected.cooldown)
    #expect(config.codeLength == expected.length)
    #expect(config.networkLogCapacity == expected.capacity)
    #expect(config.refreshMarginSeconds == expected.margin)
  }

  // MARK: Incomplete answers

  private static func config(_ text: String) async throws -> AppConfig {
    let bench = try ClientHarness()
    bench.backend.script(AppEndpoints.AppConfig.path, [.success(TransportResponse(status: 200, body: Array(text.utf8)))])
    return try await bench.stack.account.fetchAppConfig()
  }

  @Test func anEmptyConfigurationIsTheDefault() async throws {
    #expect(try await Self.config("{}") == AppConfig())
    #expect(
      try await Self.config(#"{"features":null,"auth":[],"session":"x","network_log":{},"supported_languages":{}}"#)
        == AppConfig())
  }

  @Test(arguments: [
    #"{"supported_languages":[{"code":"de","name":"Deutsch"}],"features":{"developer_tools":true}}"#,
    #"{"supportedLanguages":[{"code":"de","name":"Deutsch"},{"name":"?"},7],"features":{"developerTools":"true","login_code":"maybe"}}"#,
    #"{"supported_languages":[{"code":"de","name":"Deutsch"}],"features":{"developer_tools":1},"default_language_code":null,"auth":7}"#,
  ])
  func oneBadFieldOfTheConfigurationKeepsTheRest(text: String) async throws {
    var expected = AppConfig()
    expected.supportedLanguages = [AppConfig.Language(code: "de", name: "Deutsch")]
    expected.features.developerTools = true
    #expect(try await Self.config(text) == expected)
  }

  @Test func aLanguageWithoutANameShowsItsCode() async throws {
    #expect(try await Self.config(#"{"supported_languages":[{"code":"de"}]}"#).supportedLanguages.map(\.name) == ["de"])
  }

  @Test func missingFieldsOfTheAccountAreLoggedOnceAndWithoutValues() async throws {
    let log = CapturedLog()
    let bench = try ClientHarness(logger: log.logger())
    let body = #"""
      {"userId":4711,"email":"someone@example.org","roles":"admin","profiles":[{"profile_id":"p1","created_at":"yesterday"},
      {"profile_id":"p2","language_code":"de"},{"language_code":"secret-language"}]}
      """#
    bench.backend.on(AccountEndpoints.Me.path) { _ in TransportResponse(status: 200, body: Array(body.utf8)) }
    try await bench.signIn()
    for _ in 0..<2 {
      let account = try await bench.stack.account.fetchMe()
      #expect(account.user.userID == "4711" && account.user.accountID == "4711" && account.user.roles == [])
      #expect(account.profiles.map(\.profileID) == ["p1", "p2"] && account.profiles.map(\.languageCode) == ["und", "de"])
      #expect(account.profiles.allSatisfy { $0.createdAt == nil })
    }
    let told = log.lines.filter { $0.level >= .notice && $0.metadata["endpoint"] == "me" && $0.metadata["field"] != nil }
    let fields = told.compactMap { $0.metadata["field"] }
    #expect(
      fields == [
        "userId", "account_id", "roles", "profiles.*.language_code", "profiles.*.created_at",
        "profiles.*.profile_id",
        "created_at",
      ])
    #expect(told.filter { $0.description.contains("error=missingField(") }.count == 6)
    for value in ["4711", "admin", "someone", "yesterday", "secret-language"] {
      #expect(!told.map(\.description).joined().contains(value))
    }
  }

  @Test func anAccountWithoutAnyIDCannotBeUsed() async throws {
    let bench = try ClientHarness()
    try await bench.signIn()
    for body in [#"{"email":"someone@example.org"}"#, #"{"user_id":"","account_id":null}"#] {
      bench.backend.on(AccountEndpoints.Me.path) { _ in TransportResponse(status: 200, body: Array(body.utf8)) }
      await #expect(throws: AccountError.failed(.unexpectedPayload)) { try await bench.stack.account.fetchMe() }
    }
  }

  @Test(arguments: ["{}", "", #"{"status":"queued","scheduled_for":null}"#])
  func aDeletionWithoutADateIsScheduled(body: String) async throws {
    let bench = try ClientHarness()
    try await bench.signIn()
    bench.backend.on(AccountEndpoints.RequestDeletion.path) { _ in TransportResponse(status: 202, body: Array(body.utf8)) }
    #expect(try await bench.stack.account.requestDeletion() == nil)
  }

  @Test(arguments: ["{}", "", #"{"cooldownSeconds":null,"expires_in_seconds":"soon"}"#])
  func aReceiptWithoutSecondsHasDefaults(body: String) async throws {
    let bench = try ClientHarness()
    bench.backend.on(AuthEndpoints.RequestLoginCode.path) { _ in TransportResponse(status: 200, body: Array(body.utf8)) }
    let receipt = try await bench.stack.auth.requestLoginCode(Identifier(normalizing: "someone@example.org"), [:])
    #expect(receipt == LoginRequestReceipt(cooldownSeconds: 0, expiresInSeconds: 600))
  }
}
