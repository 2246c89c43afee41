/// Why an event loop, a listener or a TLS context could not be created.
package enum ReactorError: Error, Equatable {
  /// Another socket already listens on this address.
  case addressInUse(SocketAddress)
  /// The address does not belong to this machine, or this user may not bind it.
  case addressUnavailable(SocketAddress)
  /// A system call failed with `code` as `errno`.
  case system(call: String, code: Int32)
  /// The certificate text contains no certificate that OpenSSL can read.
  case badCertificate
  /// The private key text contains no unencrypted key, or the key does not match the certificate.
  case badPrivateKey
  /// OpenSSL rejected a setting or ran out of memory.
  case tlsSetup
}
