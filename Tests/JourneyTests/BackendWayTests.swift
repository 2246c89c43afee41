import Foundation
import Support
import Testing

/// The connection from the console to a backend other than the embedded one: proxies and pins, with the real programs.
@Suite(.timeLimit(.minutes(2))) struct BackendWayTests {
  /// A backend and the flags that a console needs to reach it.
  private struct Place {
    let backend: BackendProcess
    let origin: String
    let pin: String
    let certificate: String

    init(_ folder: TemporaryFolder) throws {
      backend = try BackendProcess(data: folder.file("backend"), arguments: ["--limits", "off"])
      let words = backend.readyLine.split(separator: " ").map(String.init)
      origin = words[3]
      pin = String(words[4].dropFirst("pin=".count))
      certificate = folder.file("backend/certificate.pem")
    }

    var arguments: [String] { ["--backend", origin, "--ca", certificate] }
    var authority: String { String(origin.dropFirst("https://".count)) }
  }

  /// Requests a code; returns the console's response.
  private func ask(_ console: ConsoleProcess, _ name: String) throws -> ConsoleBrowser.Answer {
    let browser = ConsoleBrowser(port: console.port)
    try browser.makeDevice()
    return try browser.call("POST", "/api/login/code", #"{"identifier":"\#(name)@example.com"}"#)
  }

  @Test func aProxyIsAskedToConnectAndSeesNothingOfTheTalk() async throws {
    try await OwnThread.run {
      let folder = try TemporaryFolder()
      let place = try Place(folder)
      let proxy = try ConnectProxy()
      let url = "http://127.0.0.1:\(proxy.port)"
      for (arguments, environment) in [(["--proxy", url], [:]), ([], ["HTTPS_PROXY": url]), ([], ["all_proxy": url])] {
        let before = proxy.targets.count
        let console = try ConsoleProcess(
          data: folder.file("console\(before)"), arguments: place.arguments + arguments, environment: environment)
        #expect(try ask(console, "dana").status == 202)
        #expect(proxy.targets.count > before)
        console.end(by: SIGTERM)
      }
      #expect(Set(proxy.targets) == [place.authority])
      // Only a TLS handshake goes through: record type 22.
      #expect(Set(proxy.firstBytes) == [22])
      proxy.stop()
      _ = place.backend.end(by: SIGTERM)
    }
  }

  @Test func noProxyIsHonoured() async throws {
    try await OwnThread.run {
      let folder = try TemporaryFolder()
      let place = try Place(folder)
      let proxy = try ConnectProxy()
      let console = try ConsoleProcess(
        data: folder.file("console"), arguments: place.arguments,
        environment: ["HTTPS_PROXY": "http://127.0.0.1:\(proxy.port)", "NO_PROXY": "example.com,127.0.0.1"])
      #expect(try ask(console, "dana").status == 202)
      #expect(proxy.targets.isEmpty)
      console.end(by: SIGTERM)
      proxy.stop()
      _ = place.backend.end(by: SIGTERM)
    }
  }

  @Test func theEmbeddedBackendIsNeverReachedThroughAProxy() async throws {
    try await OwnThread.run {
      let folder = try TemporaryFolder()
      let proxy = try ConnectProxy()
      let url = "http://127.0.0.1:\(proxy.port)"
      let console = try ConsoleProcess(
        data: folder.path, environment: ["https_proxy": url, "HTTPS_PROXY": url, "ALL_PROXY": url, "no_proxy": ""])
      #expect(try ask(console, "dana").status == 202)
      #expect(proxy.targets.isEmpty)
      console.end(by: SIGTERM)
      proxy.stop()
    }
  }

  @Test func aBadProxyIsOneClearLine() async throws {
    try await OwnThread.run {
      for (arguments, environment) in [
        (["--proxy", "http://user:secret-word@proxy.example"], [:]), ([], ["HTTPS_PROXY": "ftp://secret-word@proxy.example"]),
      ] {
        let (status, error, output) = try ConsoleProcess.run(
          ["serve", "--port", "0", "--ephemeral", "--backend", "https://backend.example"] + arguments, environment: environment)
        #expect(status == 78 && output.isEmpty)
        #expect(error.split(separator: "\n").count == 1 && !error.contains("secret-word"))
      }
    }
  }

  @Test func pinsChangeWithoutARestart() async throws {
    try await OwnThread.run {
      let folder = try TemporaryFolder()
      let place = try Place(folder)
      let pins = try folder.write(place.pin, to: "pins")
      let console = try ConsoleProcess(data: folder.file("console"), arguments: place.arguments + ["--pin-file", pins])
      #expect(try ask(console, "first").status == 202)
      let other = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
      func reload(_ text: String, expecting line: String, times: Int) throws {
        try folder.write(text, to: "pins")
        console.send(SIGHUP)
        OwnThread.wait { console.log.components(separatedBy: line).count > times }
      }
      try reload(other, expecting: "pins reloaded", times: 1)
      let refused = try ask(console, "second")
      #expect(refused.status == 502 && refused.code == "pin_mismatch")
      // An unreadable file changes nothing.
      try reload("", expecting: "pins kept", times: 1)
      #expect(try ask(console, "third").code == "pin_mismatch")
      try reload("\(other)\n\(place.pin)", expecting: "pins reloaded", times: 2)
      #expect(try ask(console, "fourth").status == 202)
      #expect(console.end(by: SIGTERM) == 0)
      _ = place.backend.end(by: SIGTERM)
    }
  }

  @Test func reportingPinsAreLoggedAndUsed() async throws {
    try await OwnThread.run {
      let folder = try TemporaryFolder()
      let place = try Place(folder)
      let other = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
      let console = try ConsoleProcess(
        data: folder.file("console"), arguments: place.arguments + ["--pin", other, "--pin-report-only"])
      #expect(try ask(console, "dana").status == 202)
      OwnThread.wait { console.log.contains(place.pin) }
      console.end(by: SIGTERM)
      _ = place.backend.end(by: SIGTERM)
    }
  }
}
