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
