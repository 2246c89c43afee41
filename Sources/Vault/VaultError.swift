/// Why an operation of the vault failed; no case contains secret bytes.
package enum VaultError: Error, Equatable, Sendable {
  /// The sealed bytes are too short, were changed, or belong to another key or other associated data.
  case cannotOpen
  /// A key file does not contain a 256-bit key.
  case malformedKeyFile
  /// A key file is not a regular file or belongs to another user.
  case untrustedKeyFile
  /// Users other than the owner have permissions on a key file; its permission bits.
  case exposedKeyFile(mode: UInt32)
  /// A system call on a key file failed; its name and `errno`.
  case system(call: String, errno: Int32)
  /// A host name or address is invalid.
  case invalidCertificateName
  /// OpenSSL cannot parse the text as a PEM certificate.
  case malformedCertificate
  /// OpenSSL failed to create a certificate; the step that failed.
  case certificateNotMade(step: String)
}

extension VaultError: CustomStringConvertible {
  /// The error in words, for logs and messages at the start.
  package var description: String {
    switch self {
    case .cannotOpen: "the sealed bytes were changed, or belong to another key or another place"
    case .malformedKeyFile: "the key file does not contain a 256-bit key"
    case .untrustedKeyFile: "the key file is not a regular file of this user"
    case .exposedKeyFile: "others can read the key file"
    case .system(let call, let errno): "\(call) failed with error \(errno)"
    case .invalidCertificateName: "a host name or address of the certificate is invalid"
    case .malformedCertificate: "the text is not a PEM certificate"
    case .certificateNotMade(let step): "the certificate could not be created: \(step)"
    }
  }
}
