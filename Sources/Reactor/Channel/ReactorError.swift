/// Why a loop, a listener or a TLS context could not be made.
package enum ReactorError: Error, Equatable {
  /// Another socket listens on this address already.
  case addressInUse(SocketAddress)
  /// The address is not one of this machine, or may not be bound by this user.
  case addressUnavailable(SocketAddress)
  /// A system call failed; `code` is its `errno`.
  case system(call: String, code: Int32)
  /// The certificate text holds no certificate that OpenSSL can read.
  case badCertificate
  /// The private key text holds no unencrypted key, or not the certificate's.
  case badPrivateKey
  /// OpenSSL refused a setting or had no memory.
  case tlsSetup
  /// The loop has been stopped.
  case stopped
}
