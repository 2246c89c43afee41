import COpenSSL
import Reactor

/// A self-signed certificate for any DNS names, including wildcards, which the product does not create.
struct NamedCertificate {
  let certificate: TLSCertificate
  var pem: String { certificate.certificatePEM }

  init(_ names: String...) throws {
    guard let key = understudy_generate_p256_key(), let x509 = X509_new(), let subject = X509_get_subject_name(x509) else {
      throw ClientError(call: "X509_new", code: 0)
    }
    defer {
      EVP_PKEY_free(key)
      X509_free(x509)
    }
    X509_set_version(x509, 2)
    ASN1_INTEGER_set(X509_get_serialNumber(x509), 1)
    X509_gmtime_adj(X509_getm_notBefore(x509), -3600)
    X509_gmtime_adj(X509_getm_notAfter(x509), 86_400)
    // The subject names another host: only the alternative names count (RFC 9525).
    X509_NAME_add_entry_by_txt(subject, "CN", 0x1001, "subject.test", -1, -1, 0)
    X509_set_issuer_name(x509, subject)
    X509_set_pubkey(x509, key)
    let value = names.map { "DNS:\($0)" }.joined(separator: ",")
    guard understudy_add_extension(x509, NID_subject_alt_name, value) == 1, X509_sign(x509, key, EVP_sha256()) > 0 else {
      throw ClientError(call: "X509_sign", code: 0)
    }
    certificate = TLSCertificate(
      certificatePEM: try Self.text { PEM_write_bio_X509($0, x509) },
      privateKeyPEM: try Self.text { PEM_write_bio_PrivateKey($0, key, nil, nil, 0, nil, nil) })
  }

  private static func text(_ write: (OpaquePointer) -> Int32) throws -> String {
    guard let bio = BIO_new(BIO_s_mem()) else { throw ClientError(call: "BIO_new", code: 0) }
    defer { BIO_free(bio) }
    var bytes: UnsafeMutablePointer<CChar>?
    guard write(bio) == 1 else { throw ClientError(call: "PEM_write", code: 0) }
    let count = understudy_bio_bytes(bio, &bytes)
    return String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
  }
}
