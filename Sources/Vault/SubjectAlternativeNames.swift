import Glibc
import Text

/// The validated subject alternative names of a certificate in OpenSSL's configuration syntax.
struct SubjectAlternativeNames {
  /// The value of the extension, such as `DNS:localhost,IP:127.0.0.1`.
  let configuration: String

  /// Creates a list of at least one name; throws `invalidCertificateName` for a name that could inject other configuration.
  init(names: [String], addresses: [String]) throws(VaultError) {
    guard !(names.isEmpty && addresses.isEmpty), names.allSatisfy(Self.isHostName), addresses.allSatisfy(Self.isAddress)
    else { throw .invalidCertificateName }
    configuration = (names.map { "DNS:\($0)" } + addresses.map { "IP:\($0)" }).joined(separator: ",")
  }

  /// Whether the text is a host name: at most 253 bytes, labels of letters, digits and hyphens (RFC 1123 §2.1).
  private static func isHostName(_ name: String) -> Bool {
    name.utf8.count <= 253
      && name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy(ASCII.isHostLabel)
  }

  /// Whether the text is a numeric IPv4 or IPv6 address.
  private static func isAddress(_ text: String) -> Bool {
    guard !text.utf8.contains(0) else { return false }
    var bytes = in6_addr()
    return inet_pton(AF_INET, text, &bytes) == 1 || inet_pton(AF_INET6, text, &bytes) == 1
  }
}
