/// A server's certificate with its private key, as PEM text. Descriptions omit the key.
package struct TLSCertificate: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The server's certificate, followed by its intermediate certificates.
  package let certificatePEM: String
  /// The unencrypted private key of the first certificate.
  package let privateKeyPEM: String

  /// Stores the texts; ``TLSContext`` parses them.
  package init(certificatePEM: String, privateKeyPEM: String) {
    (self.certificatePEM, self.privateKeyPEM) = (certificatePEM, privateKeyPEM)
  }

  /// A description without the key.
  package var description: String { "TLSCertificate" }
  /// A description without the key.
  package var debugDescription: String { description }
  /// A mirror without the key.
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}
