import Text

/// A self-signed certificate for a loopback server and its private key; its description does not contain the key.
package struct ServerCertificate: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The certificate as PEM text.
  package let certificatePEM: String
  /// The private key as unencrypted PKCS #8 PEM text.
  package let privateKeyPEM: String

  /// Creates a certificate from stored text; throws `malformedCertificate` if the certificate cannot be parsed.
  package init(certificatePEM: String, privateKeyPEM: String) throws(VaultError) {
    _ = try Certificate(pem: certificatePEM)
    self.certificatePEM = certificatePEM
    self.privateKeyPEM = privateKeyPEM
  }

  private init(made certificate: Certificate, key: PrivateKey) throws(VaultError) {
    certificatePEM = try certificate.pem()
    privateKeyPEM = try key.pem()
  }

  /// Generates a P-256 key and an ECDSA certificate for DNS `names` and IP `addresses`, valid from 30 days ago until `days` from now.
  ///
  /// The certificate is not a certificate authority (`CA:FALSE`), is for server authentication only, and can be its own trust anchor
  /// (libcurl's `CAINFO`, `X509_V_FLAG_PARTIAL_CHAIN`). Throws `invalidCertificateName` for an invalid name or address.
  package static func selfSigned(
    commonName: String, names: [String], addresses: [String], days: Int
  ) throws(VaultError) -> ServerCertificate {
    let subject = try SubjectAlternativeNames(names: names, addresses: addresses)
    let key = try PrivateKey()
    let certificate = try Certificate(commonName: commonName, subject: subject, key: key, days: days)
    return try ServerCertificate(made: certificate, key: key)
  }

  /// The SPKI pin (RFC 7469 §2.4): `sha256/` and the Base64 text of the SHA-256 digest of the SubjectPublicKeyInfo.
  package var pin: String {
    get throws(VaultError) { try Self.pin(ofCertificatePEM: certificatePEM) }
  }

  /// The pin of the first certificate in PEM text; throws `malformedCertificate`.
  package static func pin(ofCertificatePEM pem: String) throws(VaultError) -> String {
    pin(ofPublicKey: try Certificate(pem: pem).subjectPublicKeyInfo())
  }

  /// The pin of a DER SubjectPublicKeyInfo.
  private static func pin(ofPublicKey der: [UInt8]) -> String { "sha256/" + Base64.encode(SHA256Digest.hash(der)) }

  /// Whether the certificate is not valid yet, for example because the wall clock was set far back.
  package var isOfTheFuture: Bool { (try? Certificate(pem: certificatePEM).isOfTheFuture) ?? false }

  package var description: String { "ServerCertificate" }
  package var debugDescription: String { description }
  /// Has no children, so that `dump` does not print the key.
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}
