/// Why a vault operation was refused; no case carries secret bytes.
package enum VaultError: Error, Equatable, Sendable {
  /// The sealed bytes are shorter than a nonce and a tag, were changed, or belong to another key or place.
  case cannotOpen
  /// A key file holds something other than a 256-bit key.
  case malformedKeyFile
  /// A key file is a link, not a plain file, or belongs to another user.
  case untrustedKeyFile
  /// A key file can be read or written by the group or by everybody; carries its permission bits.
  case exposedKeyFile(mode: UInt32)
  /// A system call on a key file failed; carries its name and `errno`.
  case system(call: String, errno: Int32)
  /// A host name or address does not fit into a certificate.
  case invalidCertificateName
  /// The text is not a PEM certificate that OpenSSL can read.
  case malformedCertificate
  /// OpenSSL refused a step of making a certificate; carries the step.
  case certificateNotMade(step: String)
}
