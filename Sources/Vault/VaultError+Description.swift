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
