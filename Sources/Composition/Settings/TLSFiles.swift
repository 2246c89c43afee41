import Reactor

/// The two files of the console's certificate, read once at the start and again whenever they are said to have changed.
struct TLSFiles: Sendable {
  private let certificatePath: String
  private let keyPath: String
  /// What was read at the start.
  let certificate: TLSCertificate

  /// Reads both; throws `StartFailure` (66) where one cannot be read.
  init(certificatePath: String, keyPath: String) throws(StartFailure) {
    (self.certificatePath, self.keyPath) = (certificatePath, keyPath)
    certificate = try Self.read(certificatePath, keyPath)
  }

  /// Reads both again; throws `StartFailure` (66) where one cannot be read.
  func reread() throws(StartFailure) -> TLSCertificate { try Self.read(certificatePath, keyPath) }

  private static func read(_ certificatePath: String, _ keyPath: String) throws(StartFailure) -> TLSCertificate {
    TLSCertificate(
      certificatePEM: try ServeSettings.file(certificatePath, flag: "--tls-certificate"),
      privateKeyPEM: try ServeSettings.file(keyPath, flag: "--tls-key"))
  }
}
