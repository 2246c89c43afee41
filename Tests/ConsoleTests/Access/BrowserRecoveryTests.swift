import Console
import HTTPTypes
import JSON
import Storage
import Testing

/// A browser that lost its cookie and shows the keys of its devices.
@Suite(.timeLimit(.minutes(1))) struct BrowserRecoveryTests {
  private func recover(_ harness: ConsoleHarness, _ keys: [String]) async -> (answer: ConsoleHarness.Answer, cookie: String) {
    let list = keys.map { "\"\($0)\"" }.joined(separator: ",")
    let answer = await harness.call(.post, "/api/browser", #"{"device_keys":[\#(list)]}"#, as: .init())
    return (answer, answer.headers[.setCookie]?.split(separator: ";").first.map(String.init) ?? "")
  }

  @Test func theProblemTellsWhetherTheDeviceOrTheBrowserIsUnknown() async throws {
    let harness = try await ConsoleHarness()
    let mine = try await harness.caller()
    let other = try await harness.caller()
    for cookie in ["", "understudy_8080=planted", other.cookie] {
      let answer = await harness.call(.get, "/api/state", as: .init(cookie: cookie, key: mine.key))
      #expect(answer.status == 401 && answer.code == "no_device" && answer.json?["reason"]?.string == "browser_unknown")
    }
    for cookie in ["", mine.cookie] {
      let answer = await harness.call(.get, "/api/state", as: .init(cookie: cookie, key: mine.key + "x"))
      #expect(answer.status == 401 && answer.code == "no_device" && answer.json?["reason"]?.string == "device_unknown")
    }
    let keyless = await harness.call(.get, "/api/state", as: .init(cookie: mine.cookie))
    #expect(keyless.code == "no_device" && keyless.json?["reason"] == nil)
    #expect(await harness.call(.delete, "/api/device", as: mine).status == 204)
    let gone = await harness.call(.get, "/api/state", as: mine)
    #expect(gone.json?["reason"]?.string == "device_unknown")
  }

  @Test func theCookieWithTheEarlierNameIsStillRead() async throws {
    let harness = try await ConsoleHarness()
    var mine = try await harness.caller()
    let value = mine.cookie.split(separator: "=", maxSplits: 1)[1]
    #expect(mine.cookie.hasPrefix("understudy_8080_"))
    mine.cookie = "understudy_8080=\(value)"
    #expect(await harness.call(.get, "/api/state", as: mine).status == 200)
    mine.cookie = "understudy_8081=\(value)"
    #expect(await harness.call(.get, "/api/state", as: mine).status == 401)
  }

  @Test func aBrowserThatShowsItsKeysGetsACookieAndKeepsItsSessions() async throws {
    let harness = try await ConsoleHarness()
    var mine = try await harness.signedIn()
    let second = await harness.call(.post, "/api/devices", #"{"name":"Second"}"#, as: mine)
    let other = try await harness.signedIn()
    let keys = [mine.key, "unknown", second.json?["device_key"]?.string ?? "", other.key, mine.key]
    let (answer, cookie) = await recover(harness, keys)
    #expect(answer.status == 200 && answer.json?["unknown"]?.elements.map(\.sourceText) == ["1"])
    #expect(answer.json?["devices"]?.elements.compactMap { $0["name"]?.string } == ["Phone 1", "Second", "Phone 1"])
    for key in [mine.key, other.key] {
      #expect(
        await harness.call(.get, "/api/state", as: .init(cookie: cookie, key: key)).json?["session"]?["state"]?.string
          == "authenticated")
    }
    // The browsers of before are left without a device: their cookies mean nothing, and nothing of them is kept.
    for caller in [mine, other] {
      #expect(await harness.call(.get, "/api/state", as: caller).json?["reason"]?.string == "browser_unknown")
    }
    #expect(try await harness.storage.read { try $0.number("SELECT count(*) FROM browser") } == 1)
    mine.cookie = cookie
    #expect(await harness.call(.get, "/api/devices", as: mine).json?["devices"]?.elements.count == 3)
    let signedIn = await harness.call(
      .post, "/api/login/code/verify", #"{"identifier":"dana@example.com","code":"123456"}"#, as: mine)
    #expect(signedIn.status == 200 && signedIn.headers[.setCookie] != nil, "and the cookie is rotated as before")
  }

  @Test func aBrowserWithARemainingDeviceStays() async throws {
    let harness = try await ConsoleHarness()
    let mine = try await harness.caller()
    let second = await harness.call(.post, "/api/devices", "{}", as: mine)
    let (_, cookie) = await recover(harness, [second.json?["device_key"]?.string ?? ""])
    #expect(await harness.call(.get, "/api/state", as: mine).status == 200)
    #expect(await harness.call(.get, "/api/state", as: .init(cookie: cookie, key: mine.key)).status == 401)
  }

  @Test func keysOfNoDeviceGetNothing() async throws {
    let harness = try await ConsoleHarness()
    let (answer, _) = await recover(harness, ["a", ""])
    #expect(answer.status == 200 && answer.headers[.setCookie] == nil)
    #expect(answer.json?["devices"]?.elements.isEmpty == true && answer.json?["unknown"]?.elements.count == 2)
    for body in ["{}", #"{"device_keys":[]}"#, #"{"device_keys":"a"}"#, #"{"device_keys":[1]}"#] {
      #expect(await harness.call(.post, "/api/browser", body, as: .init()).status == 400, "\(body)")
    }
    #expect((await recover(harness, (1...21).map(String.init))).answer.status == 400)
    #expect((await recover(harness, [String(repeating: "a", count: 4096)])).answer.status == 413)
    #expect(try await harness.storage.read { try $0.number("SELECT count(*) FROM browser") } == 0)
  }
}
