import Reactor

/// The files of the console's certificate and key, read at the start and on each reload.
struct TLSFiles: Sendable {
  private let certificatePath: String
  private let keyPath: String
  /// The certificate read at the start.
  let certificate: TLSCertificate

  /// Reads both files; throws `StartFailure` (66) if one is unreadable.
  init(certificatePath: String, keyPath: String) throws(StartFailure) {
    (self.certificatePath, self.keyPath) = (certificatePath, keyPath)
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
