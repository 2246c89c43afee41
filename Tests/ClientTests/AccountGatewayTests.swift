import Client
import Domain
import RPC
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
}
