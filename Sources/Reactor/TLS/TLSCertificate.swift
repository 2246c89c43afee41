/// A server's certificate with its private key, as PEM text; the key is a secret and is not printed.
package struct TLSCertificate: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The server's certificate first, then its intermediate ones.
  package let certificatePEM: String
  /// The first certificate's key, not encrypted.
  package let privateKeyPEM: String

  /// Takes the texts; they are read when a ``TLSContext`` is made of them.
  package init(certificatePEM: String, privateKeyPEM: String) {
    (self.certificatePEM, self.privateKeyPEM) = (certificatePEM, privateKeyPEM)
  }

  /// A text without the key.
  package var description: String { "TLSCertificate" }
  /// A text without the key.
  package var debugDescription: String { description }
  /// A mirror without the key.
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}
