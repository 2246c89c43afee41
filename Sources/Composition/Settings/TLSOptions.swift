import ArgumentParser
import Reactor

/// The flags of a server's certificate.
struct TLSOptions: ParsableArguments {
  @Option(help: "PEM file of the server's certificate. (default: none; a backend creates one)") var tlsCertificate: String?
  @Option(help: "PEM file of the certificate's private key.") var tlsKey: String?

  /// The files; nil without flags. Throws `StartFailure`: 78 if only one flag is given, 66 for an unreadable file.
  func files() throws(StartFailure) -> TLSFiles? {
    guard (tlsCertificate == nil) == (tlsKey == nil) else {
      throw .configuration("--tls-certificate and --tls-key must be given together")
    }
    guard let tlsCertificate, let tlsKey else { return nil }
    return try TLSFiles(certificatePath: tlsCertificate, keyPath: tlsKey)
  }
}

/// The files of a server's certificate and key, read at the start and on each reload.
struct TLSFiles: Sendable {
  private let certificatePath: String
  private let keyPath: String
  /// The certificate read at the start.
  let certificate: TLSCertificate

  /// Reads both files; throws `StartFailure` (66) if one is unreadable.
  init(certificatePath: String, keyPath: String) throws(StartFailure) {
    self.certificatePath = certificatePath
    self.keyPath = keyPath
    certificate = try Self.read(certificatePath, keyPath)
  }

  /// Reads both files again; throws `StartFailure` (66) if one is unreadable.
  func reread() throws(StartFailure) -> TLSCertificate { try Self.read(certificatePath, keyPath) }

  private static func read(_ certificatePath: String, _ keyPath: String) throws(StartFailure) -> TLSCertificate {
    TLSCertificate(
      certificatePEM: try ServeSettings.file(certificatePath, flag: "--tls-certificate"),
      privateKeyPEM: try ServeSettings.file(keyPath, flag: "--tls-key"))
  }
}
