import Client
import Domain
import Observability
import RPC
import Reactor
import Testing
import Vault
import Wire

/// What a person reads of an error is a sentence, not a value of a Swift type.
@Suite(.timeLimit(.minutes(1)))
struct TransportErrorTextTests {
  /// Every case of the transport's errors; a new one does not compile until it is listed here.
  private static let errors: [TransportError] =
    TransportError.OfflineKind.allCases.map { .offline(kind: $0) } + TransportError.TimeoutPhase.allCases.map { .timedOut($0) }
    + [true, false].map { .connectionLost(mayHaveBeenProcessed: $0) }
    + [
      .tls("self-signed certificate"), .tls(""), .pinMismatch(presented: ["sha256/AAAA"]), .cancelled, .responseTooLarge,
      .malformedResponse, .invalidURL,
    ]

  /// Whether a text could be printed Swift: brackets, a label, an underscore, or names in camel case or joined by dots.
  private static func isPrintedValue(_ text: String) -> Bool {
    text.contains(#/[()\[\]]|\w: ?\.|[a-z][A-Z]|\w\.\w|_/#)
  }

  @Test func theRuleFindsPrintedValues() {
    #expect(Self.isPrintedValue("offline(kind: Client.TransportError.OfflineKind.notConnected)"))
    #expect(
      Self.isPrintedValue("invalidURL") && Self.isPrintedValue("tls(\"\")") && !Self.isPrintedValue("the call was cancelled"))
  }

  @Test func everyErrorIsDescribedInItsOwnWords() {
    // Names every case, so that a new one must be added above.
    for error in Self.errors {
      switch error {
      case .offline, .timedOut, .connectionLost, .tls, .pinMismatch, .cancelled, .responseTooLarge, .malformedResponse,
        .invalidURL:
        #expect(!Self.isPrintedValue("\(error)"), "\(error)")
        #expect("\(error)".contains(" "))
      }
    }
    #expect(Set(Self.errors.map { "\($0)" }).count == Self.errors.count)
  }

  @Test(arguments: errors) func aRowSaysItInTheSameWords(error: TransportError) async throws {
    let bench = try ClientHarness(backoff: .none)
    bench.backend.script(AppEndpoints.AppConfig.path, [.failure(error)])
    _ = try? await bench.stack.account.fetchAppConfig()
    let rows = bench.log.rows().events.compactMap { bench.log.detail(id: $0.id)?.row }
    #expect(rows.first?.errorDetail == "\(error)")
    #expect(!rows.contains { Self.isPrintedValue($0.errorDetail ?? "") })
  }

  @Test func otherErrorsThatReachTheTerminalAreDescribedToo() throws {
    let address = try #require(SocketAddress(host: "127.0.0.1", port: 80))
    let reactor: [ReactorError] = [
      .addressInUse(address), .addressUnavailable(address), .system(call: "socket", code: 24), .badCertificate, .badPrivateKey,
      .tlsSetup,
    ]
    let vault: [VaultError] = [
      .cannotOpen, .malformedKeyFile, .untrustedKeyFile, .exposedKeyFile(mode: 0o644), .system(call: "open", errno: 2),
      .invalidCertificateName, .malformedCertificate, .certificateNotMade(step: "key"),
    ]
    let response: [ResponseError] = [.unsafeField("Location"), .invalidStatus(99)]
    for text in reactor.map({ "\($0)" }) + vault.map({ "\($0)" }) + response.map({ "\($0)" }) {
      #expect(
        !Self.isPrintedValue(text.replacing("127.0.0.1:80", with: "address").replacing("OpenSSL", with: "openssl")), "\(text)")
    }
  }
}
