import ArgumentParser
import Client
import Support
import Testing

@testable import Composition

@Suite struct ProxyURLTests {
  private func resolve(_ flag: String?, _ variables: [String: String] = [:]) -> Result<String?, StartFailure> {
    do throws(StartFailure) { return .success(try ProxyURL.resolve(flag: flag, variables: variables)) } catch {
      return .failure(error)
    }
  }

  @Test func theFlagWinsOverTheEnvironment() {
    #expect(resolve("http://127.0.0.1:3128", ["HTTPS_PROXY": "no address at all"]) == .success("http://127.0.0.1:3128"))
    #expect(resolve("http://proxy.example/") == .success("http://proxy.example:80"))
    #expect(resolve(nil, ["HTTPS_PROXY": "http://proxy.example:3128"]) == .success(nil))
    #expect(resolve(nil) == .success(nil))
  }

  @Test(arguments: ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"])
  func aBadVariableIsNamedAndNotQuoted(name: String) throws {
    for text in [
      "ftp://proxy.example", "http://secret-word@", "http://a b", "http://proxy.example:port", "http://secret-word@h:99999",
    ] {
      guard case .failure(let failure) = resolve(nil, [name: text]) else {
        Issue.record("\(text)")
        continue
      }
      #expect(failure.exitCode == 78)
      #expect(failure.message.hasPrefix("\(name): ") && !failure.message.contains("secret-word"))
    }
    #expect(resolve(nil, [name: ""]) == .success(nil))
  }

  @Test(arguments: [
    "proxy.example", "proxy.example:3128", "http://proxy.example:3128/", "http://user:p%40ss@proxy.example:3128",
    "socks5h://127.0.0.1:1080",
    "HTTPS://proxy.example", "http://[::1]:3128",
  ])
  func whatLibcurlReadsIsTaken(text: String) {
    #expect(ProxyURL.isAddress(text))
  }

  /// Without --backend, the console uses the embedded one, which no proxy applies to.
  @Test func theEmbeddedBackendAsksForNoProxy() throws {
    let folder = try TemporaryFolder()
    try folder.write("", to: "login.html")
    let command = try ServeCommand.parse(["--public", folder.path, "--ephemeral"])
    let settings = try ServeSettings(command, variables: ["HTTPS_PROXY": "no address at all"])
    #expect(settings.remote == nil)
  }
}

@Suite struct PinSourceTests {
  private let pin = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

  @Test func flagsAndFileAreTakenTogetherAndReadAgain() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("# of this year\n\n  \(pin)\r\n", to: "pins")
    let other = "sha256/AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE="
    let source = try PinSource([try #require(SPKIPin(other))], path: path)
    #expect(try source.read().map(\.description).sorted() == [pin, other])
    try folder.write("\(other)\n", to: "pins")
    #expect(try source.read().map(\.description) == [other])
    // A file that was emptied by accident does not turn pinning off.
    for text in ["", "# nothing\n", "\(pin)\nsha1/AAAA\n"] {
      try folder.write(text, to: "pins")
      #expect(throws: StartFailure.self) { try source.read() }
    }
  }
}
