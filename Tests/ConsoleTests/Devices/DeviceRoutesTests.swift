import HTTPTypes
import JSON
import Testing

@testable import Console

@Suite(.timeLimit(.minutes(1))) struct DeviceRoutesTests {
  @Test func renamedDeviceHasItsNameEverywhereAndAfterSleep() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.caller()
    let renamed = await harness.call(.patch, "/api/device", #"{"name":" Work phone "}"#, as: caller)
    #expect(renamed.status == 200 && renamed.json?["name"]?.string == "Work phone")
    #expect(await harness.call(.get, "/api/state", as: caller).json?["name"]?.string == "Work phone")
    let listed = await harness.call(.get, "/api/devices", as: caller).json?["devices"]?.elements
    #expect(listed?.map { $0["name"]?.string } == ["Work phone"])
    harness.pass(DeviceRegistry.idleLimit + .seconds(1))
    let isAnyAwake = await harness.registry.evictUnused()
    #expect(!isAnyAwake)
    #expect(await harness.call(.get, "/api/state", as: caller).json?["name"]?.string == "Work phone")
  }

  @Test(arguments: ["", "   ", "a\\u202eb", String(repeating: "a", count: 61)])
  func invalidNameIsRejectedAtItsField(_ name: String) async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.caller()
    let answer = await harness.call(.patch, "/api/device", "{\"name\":\"\(name)\"}", as: caller)
    #expect(answer.status == 400 && answer.json?["field"]?.string == "name")
    #expect(await harness.call(.get, "/api/state", as: caller).json?["name"]?.string == "Phone 1")
  }

  @Test func keyOfAnotherBrowserRenamesNothing() async throws {
    let harness = try await ConsoleHarness()
    let mine = try await harness.caller()
    let other = try await harness.caller()
    let mixed = ConsoleHarness.Caller(cookie: other.cookie, key: mine.key)
    let answer = await harness.call(.patch, "/api/device", #"{"name":"Taken"}"#, as: mixed)
    #expect(answer.status == 401 && answer.code == "no_device")
    #expect(await harness.call(.get, "/api/state", as: mine).json?["name"]?.string == "Phone 1")
  }

  @Test func listShowsWhoIsSignedInOnDevicesThatSleepToo() async throws {
    let harness = try await ConsoleHarness()
    let first = try await harness.signedIn()
    let key = try #require(
      await harness.call(.post, "/api/devices", "{}", as: first).json?["device_key"]?.string)
    let second = ConsoleHarness.Caller(cookie: first.cookie, key: key)
    func users() async -> [String] {
      let devices = await harness.call(.get, "/api/devices", as: second).json?["devices"]?.elements ?? []
      return devices.map { "\($0["signed_in"]?.bool ?? false) \($0["signed_in_as"]?.string ?? "-")" }
    }
    #expect(await users() == ["true d•••@example.com", "false -"])
    harness.pass(DeviceRegistry.idleLimit + .seconds(1))
    await harness.registry.evictUnused()
    for task in await harness.registry.sleepTasks.values { await task.value }
    #expect(await users() == ["true d•••@example.com", "false -"])
    #expect(await harness.registry.awakeDevices().count == 1, "looking wakes no other device")
    // Another browser sees nothing of it.
    let other = try await harness.caller()
    #expect(await harness.call(.get, "/api/devices", as: other).json?["devices"]?.elements.count == 1)
    #expect(await harness.call(.post, "/api/logout", "{}", as: first).status == 200)
    #expect(await users() == ["false -", "false -"])
  }
}
