import COpenSSL
import Glibc

/// A server's certificate, trusted or not.
package struct ServedCertificate: Sendable, Hashable {
  /// Why its chain is not trusted.
  package enum Fault: String, Sendable, Hashable, CaseIterable {
    case expired
    case notYetValid = "not_yet_valid"
    /// No trusted authority signed it.
    case unknownAuthority = "unknown_authority"
    case other
  }

  /// Its owner's name, such as `CN=staging.example, O=Example`; may be empty.
  package let subject: String
  /// The name of the authority that signed it.
  package let issuer: String
  /// The Unix second from which it is valid; nil if it cannot be read.
  package let validFrom: Int64?
  /// The last Unix second at which it is valid; nil if it cannot be read.
  package let validUntil: Int64?
  package let pin: SPKIPin?
  /// Nil if its chain is trusted. The host's name is not part of the chain.
  package let fault: Fault?

  package init(subject: String, issuer: String, validFrom: Int64?, validUntil: Int64?, pin: SPKIPin?, fault: Fault?) {
    self.subject = subject
    self.issuer = issuer
    self.validFrom = validFrom
    self.validUntil = validUntil
    self.pin = pin
    self.fault = fault
  }

  /// Reads a certificate; `error` is OpenSSL's verdict about its chain.
  init(_ certificate: OpaquePointer, pin: SPKIPin?, error: Int32) {
    subject = Self.text(X509_get_subject_name(certificate))
    issuer = Self.text(X509_get_issuer_name(certificate))
    validFrom = Self.seconds(X509_get0_notBefore(certificate))
    validUntil = Self.seconds(X509_get0_notAfter(certificate))
    self.pin = pin
    fault = Self.fault(error)
  }

  private static func fault(_ error: Int32) -> Fault? {
    switch error {
    case X509_V_OK: nil
    case X509_V_ERR_CERT_HAS_EXPIRED: .expired
    case X509_V_ERR_CERT_NOT_YET_VALID: .notYetValid
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT,
      X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
      .unknownAuthority
    default: .other
    }
  }

  /// The most bytes of a name; a server chooses its length.
  private static let nameLimit = 300
  /// Escaped as RFC 2253 requires, but with UTF-8 unescaped; most specific part first, separated by a comma and a blank. Swift
  /// does not import the macros (`ASN1_STRFLGS_…`, `XN_FLAG_…`).
  private static let nameFormat: UInt = 0x313 | 2 << 16 | 1 << 20 | 1 << 24

  private static func text(_ name: OpaquePointer?) -> String {
    guard let name, let buffer = BIO_new(BIO_s_mem()) else { return "" }
    defer { BIO_free(buffer) }
    guard X509_NAME_print_ex(buffer, name, 0, nameFormat) >= 0 else { return "" }
    var bytes = [UInt8](repeating: 0, count: nameLimit)
    let count = BIO_read(buffer, &bytes, Int32(nameLimit))
    return String(decoding: bytes.prefix(Int(max(0, count))), as: UTF8.self)
  }

  private static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
    var fields = tm()
    guard let time, ASN1_TIME_to_tm(time, &fields) == 1 else { return nil }
    return Int64(timegm(&fields))
  }
}
