import Text

/// A self-signed certificate for a loopback server, with its key; the key is a secret and is not printed.
package struct ServerCertificate: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The certificate as PEM text.
  package let certificatePEM: String
  /// The private key as unencrypted PKCS #8 PEM text.
  package let privateKeyPEM: String

  /// A certificate and key that were made before, as read from disk; the certificate must parse.
  package init(certificatePEM: String, privateKeyPEM: String) throws(VaultError) {
    _ = try Certificate(pem: certificatePEM)
    self.certificatePEM = certificatePEM
    self.privateKeyPEM = privateKeyPEM
  }

  /// What `selfSigned` made.
  private init(made certificate: Certificate, key: PrivateKey) throws(VaultError) {
    certificatePEM = try certificate.pem()
    privateKeyPEM = try key.pem()
  }

  /// A new P-256 key with an ECDSA certificate for DNS `names` and IP `addresses`, valid from 30 days ago for `days` from now.
  ///
  /// It is no authority (`CA:FALSE`), for server authentication only, and serves as its own trust anchor (libcurl's `CAINFO`,
  /// `X509_V_FLAG_PARTIAL_CHAIN`). Throws `invalidCertificateName` for a name or address that is none.
  package static func selfSigned(
    commonName: String, names: [String], addresses: [String], days: Int
  ) throws(VaultError) -> ServerCertificate {
    let subject = try SubjectAlternativeNames(names: names, addresses: addresses)
    let key = try PrivateKey()
    let certificate = try Certificate(commonName: commonName, subject: subject, key: key, days: days)
    return try ServerCertificate(made: certificate, key: key)
  }

  /// `sha256/` and the base 64 of the SHA-256 of the certificate's public key (its SubjectPublicKeyInfo, RFC 7469 §2.4).
  package var pin: String {
    get throws(VaultError) { try Self.pin(ofCertificatePEM: certificatePEM) }
  }

  /// The pin of the first certificate in PEM text; throws `malformedCertificate`.
  package static func pin(ofCertificatePEM pem: String) throws(VaultError) -> String {
    pin(ofPublicKey: try Certificate(pem: pem).subjectPublicKeyInfo())
  }

  /// The pin of a DER SubjectPublicKeyInfo.
  package static func pin(ofPublicKey der: [UInt8]) -> String { "sha256/" + Base64.encode(SHA256Digest.hash(der)) }

  /// Whether the wall clock stands before its first instant, as one that was set far back does.
  package var isOfTheFuture: Bool { (try? Certificate(pem: certificatePEM).isOfTheFuture) ?? false }

  /// A text without the key.
  package var description: String { "ServerCertificate" }
  /// A text without the key.
  package var debugDescription: String { description }
  /// A mirror without the key.
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}
