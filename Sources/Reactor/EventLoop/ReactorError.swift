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

extension ReactorError: CustomStringConvertible {
  /// The error in words, for logs and messages at the start.
  package var description: String {
    switch self {
    case .addressInUse(let address): "another program listens on \(address)"
    case .addressUnavailable(let address): "\(address) does not belong to this machine or is not allowed"
    case .system(let call, let code): "\(call) failed with error \(code)"
    case .badCertificate: "the text contains no readable certificate"
    case .badPrivateKey: "there is no unencrypted private key that matches the certificate"
    case .tlsSetup: "OpenSSL rejected a setting"
    }
  }
}
