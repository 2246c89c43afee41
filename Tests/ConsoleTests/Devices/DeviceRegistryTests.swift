import Console
import HTTPTypes
import JSON
import Observability
import Testing
import Redaction

@Suite(.timeLimit(.minutes(1))) struct DeviceRegistryTests {
  @Test func theLongestUnusedDeviceSleepsAndStaysSignedIn() async throws {
    let harness = try await ConsoleHarness(awakeLimit: 2)
    let one = try await harness.signedIn()
    let two = try await harness.signedIn()
    #expect(await harness.registry.awakeDevices().count == 2)
    let first = try #require(await harness.call(.get, "/api/state", as: one).json?["device_id"]?.string)
    let third = try await harness.caller()
    let refused = await harness.call(.get, "/api/state", as: third)
    #expect(refused.status == 503 && refused.code == "unavailable", "whoever is in use is not put to sleep")
    harness.pass(.seconds(61))
    #expect(await harness.call(.get, "/api/state", as: two).status == 200)
    #expect(await harness.call(.get, "/api/state", as: third).status == 200)
    let awake = await harness.registry.awakeDevices().map(\.id)
    #expect(awake.count == 2 && !awake.contains(first))
    harness.pass(.seconds(61))
    let state = await harness.call(.get, "/api/state", as: one)
    #expect(state.status == 200 && state.json?["session"]?["state"]?.string != "signed_out")
  }

  @Test func anUnusedDeviceGivesBackWhatItCanMakeAnew() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    let device = try #require(await harness.registry.awakeDevices().first)
    device.log.flush()
    _ = device.secrets.mask("text", context: .general)
    await harness.registry.evictUnused()
    #expect(!device.secrets.hasNoPreparedSearch, "it was used a moment ago")
    harness.pass(.seconds(11))
    await harness.registry.evictUnused()
    #expect(device.secrets.hasNoPreparedSearch)
    #expect(await harness.registry.awakeDevices().count == 1)
    #expect(await harness.call(.get, "/api/state", as: caller).status == 200)
  }

  @Test func anUnusedDeviceFallsAsleepThoughNoOtherWakes() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    harness.pass(DeviceRegistry.idleLimit + .seconds(1))
    let isAnyAwake = await harness.registry.evictUnused()
    #expect(!isAnyAwake)
    #expect(await harness.registry.awakeDevices().isEmpty)
    let state = await harness.call(.get, "/api/state", as: caller)
    #expect(state.status == 200 && state.json?["session"]?["state"]?.string != "signed_out")
  }

  @Test func aStoppingConsoleDoesNotReportDevicesAsUnknown() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    await harness.registry.stop()
    let answer = await harness.call(.get, "/api/state", as: caller)
    // Upon `no_device` a page would make itself another device.
    #expect(answer.status == 503 && answer.code == "unavailable", "\(answer)")
  }
}
