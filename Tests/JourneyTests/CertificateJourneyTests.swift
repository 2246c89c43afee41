import Foundation
import Support
import Testing
import Vault

/// A console with its own certificate, in a child process.
@Suite(.timeLimit(.minutes(2))) struct CertificateJourneyTests {
  private static func write(_ certificate: ServerCertificate, to folder: TemporaryFolder) throws {
    try folder.write(certificate.certificatePEM, to: "certificate.pem")
    try folder.write(certificate.privateKeyPEM, to: "key.pem")
  }

  private static func makeCertificate() throws -> ServerCertificate {
    try ServerCertificate.selfSigned(commonName: "localhost", names: ["localhost"], addresses: ["127.0.0.1"], days: 30)
  }

  private static func start(_ folder: TemporaryFolder) throws -> ConsoleProcess {
    let files = ["--tls-certificate", folder.file("certificate.pem"), "--tls-key", folder.file("key.pem")]
    return try ConsoleProcess(data: folder.file("data"), arguments: files)
  }

  /// The pin of the served certificate once it is the expected one.
  private static func servedPin(_ console: ConsoleProcess, awaiting wanted: String) throws -> String {
    var pin = ""
    try OwnThread.wait {
      pin = try ServerCertificate.pin(ofCertificatePEM: ServedCertificate(port: console.port).pem)
      return pin == wanted
    }
    return pin
  }

  /// Waits until the log contains the text.
  private static func logs(_ console: ConsoleProcess, _ text: String) -> Bool {
    OwnThread.wait { console.log.contains(text) }
  }

  @Test func aRenewedCertificateIsServedAfterSIGHUPAndABadOneIsNot() async throws {
    try await OwnThread.run {
      let folder = try TemporaryFolder()
      let first = try Self.makeCertificate()
      let second = try Self.makeCertificate()
      try Self.write(first, to: folder)
      let console = try Self.start(folder)
      #expect(console.readyLine == "understudy ready https://localhost:\(console.port) backend=embedded")
      #expect(try Self.servedPin(console, awaiting: first.pin) == first.pin)
      try Self.write(second, to: folder)
      #expect(try Self.servedPin(console, awaiting: first.pin) == first.pin, "nothing is read before it is requested")
      console.send(SIGHUP)
      #expect(try Self.servedPin(console, awaiting: second.pin) == second.pin)
      #expect(Self.logs(console, "certificate reloaded"))
      // A key that does not match, then no certificate at all: the old pair stays in use, and one line says why.
      try folder.write(first.privateKeyPEM, to: "key.pem")
      console.send(SIGHUP)
      #expect(Self.logs(console, "certificate kept: --tls-certificate: the certificate does not match the key or is invalid"))
      try FileManager.default.removeItem(atPath: folder.file("certificate.pem"))
      console.send(SIGHUP)
      #expect(Self.logs(console, "certificate kept: --tls-certificate: \(folder.file("certificate.pem")) cannot be read"))
      #expect(try Self.servedPin(console, awaiting: second.pin) == second.pin)
      #expect(!console.log.contains("PRIVATE KEY"))
      #expect(console.end(by: SIGTERM) == 0)
    }
  }

  @Test func healthcheckSpeaksTLSToAConsoleWithACertificate() async throws {
    try await OwnThread.run {
      let folder = try TemporaryFolder()
      // For another host: the probe uses loopback and verifies nothing.
      let certificate = try ServerCertificate.selfSigned(commonName: "qa.example", names: ["qa.example"], addresses: [], days: 1)
      try Self.write(certificate, to: folder)
      let console = try Self.start(folder)
      let healthy = try ConsoleProcess.run(["healthcheck", "--port", String(console.port)])
      #expect(healthy.status == 0 && healthy.error.isEmpty)
      let environment = ["UNDERSTUDY_PORT": String(console.port)]
      #expect(try ConsoleProcess.run(["healthcheck"], environment: environment).status == 0)
      #expect(console.end(by: SIGTERM) == 0)
      #expect(try ConsoleProcess.run(["healthcheck", "--port", String(console.port)]).status == 69)
    }
  }
}
