import Console
import HTTPTypes
import JSON
import Testing

@Suite(.timeLimit(.minutes(1))) struct DeviceRegistryTests {
  @Test func ofTooManyDevicesTheLongestUnusedSleepsAndStaysSignedIn() async throws {
    let bench = try ConsoleHarness(awakeLimit: 2)
    let (one, two) = (try await bench.signedIn(), try await bench.signedIn())
    #expect(await bench.registry.awakeDevices().count == 2)
    let first = try #require(await bench.call(.get, "/api/state", as: one).json?["device_id"]?.string)
    let third = try await bench.caller()
    let refused = await bench.call(.get, "/api/state", as: third)
    #expect(refused.status == 503 && refused.code == "unavailable", "whoever is in use is not put to sleep")
    bench.pass(.seconds(61))
    #expect(await bench.call(.get, "/api/state", as: two).status == 200)
    #expect(await bench.call(.get, "/api/state", as: third).status == 200)
    let awake = await bench.registry.awakeDevices().map(\.id)
    #expect(awake.count == 2 && !awake.contains(first))
    bench.pass(.seconds(61))
    let state = await bench.call(.get, "/api/state", as: one)
    #expect(state.status == 200 && state.json?["session"]?["state"]?.string != "signed_out")
  }

  @Test func aConsoleThatStopsForgetsNoDevice() async throws {
    let bench = try ConsoleHarness()
    let caller = try await bench.signedIn()
    await bench.registry.stop()
    let answer = await bench.call(.get, "/api/state", as: caller)
    // Upon `no_device` a page would make itself another device.
    #expect(answer.status == 503 && answer.code == "unavailable", "\(answer)")
  }
}
