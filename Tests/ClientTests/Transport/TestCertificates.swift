import COpenSSL
import Vault

/// Converts PEM text to and from OpenSSL's objects, which the caller frees.
enum PEM {
  static func certificate(_ text: String) throws -> OpaquePointer {
    try read(text) { PEM_read_bio_X509($0, nil, nil, nil) }
  }

  static func key(_ text: String) throws -> OpaquePointer {
    try read(text) { PEM_read_bio_PrivateKey($0, nil, nil, nil) }
  }

  private static func read(_ text: String, _ parse: (OpaquePointer) -> OpaquePointer?) throws -> OpaquePointer {
    guard let bio = BIO_new(BIO_s_mem()), BIO_write(bio, text, Int32(text.utf8.count)) > 0 else {
      throw ScriptedTLSServer.Failure(step: "memory")
    }
    defer { BIO_free(bio) }
    guard let object = parse(bio) else { throw ScriptedTLSServer.Failure(step: "PEM") }
    return object
  }

  static func text(_ write: (OpaquePointer) -> Int32) throws -> String {
    guard let bio = BIO_new(BIO_s_mem()) else { throw ScriptedTLSServer.Failure(step: "memory") }
    defer { BIO_free(bio) }
    guard write(bio) == 1 else { throw ScriptedTLSServer.Failure(step: "PEM") }
    var start: UnsafeMutablePointer<CChar>?
    let count = understudy_bio_bytes(bio, &start)
    return String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
  }
}

/// Certificates for scripted servers.
enum TestCertificates {
  /// A self-signed certificate, which is its own trust anchor.
  static func selfSigned(names: [String] = ["localhost"], addresses: [String] = ["127.0.0.1"]) throws -> TLSIdentity {
    let made = try ServerCertificate.selfSigned(commonName: "test", names: names, addresses: addresses, days: 1)
    return TLSIdentity(certificatePEM: made.certificatePEM, privateKeyPEM: made.privateKeyPEM)
  }

  /// A root, an intermediate that it signed and a server's certificate that the intermediate signed; the server sends both of its own.
  static func chain() throws -> (server: TLSIdentity, root: String, intermediate: String) {
    let authority = try Authority()
    return (try authority.server(), authority.root, authority.intermediate)
  }

  /// A root and an intermediate that it signed, which sign servers' certificates.
  final class Authority {
    let root: String
    let intermediate: String
    private let issuer: Issued

    init() throws {
      let top = try Issued(name: "root", issuer: nil, isAuthority: true)
      issuer = try Issued(name: "intermediate", issuer: top, isAuthority: true)
      root = try top.certificatePEM()
      intermediate = try issuer.certificatePEM()
    }

    /// A server's certificate with a new key, sent with the intermediate; an expired one expired an hour ago.
    func server(address: String = "127.0.0.1", isExpired: Bool = false) throws -> TLSIdentity {
      let leaf = try Issued(name: "leaf", issuer: issuer, isAuthority: false, address: address, isExpired: isExpired)
      return TLSIdentity(
        certificatePEM: try leaf.certificatePEM(), privateKeyPEM: try leaf.keyPEM(), extraPEM: [intermediate])
    }
  }

  /// A P-256 key with a certificate for an address.
  private final class Issued {
    let certificate: OpaquePointer
    let key: OpaquePointer

    init(
      name: String, issuer: Issued?, isAuthority: Bool, address: String = "127.0.0.1", isExpired: Bool = false
    ) throws {
      guard let key = understudy_generate_p256_key(), let certificate = X509_new() else {
        throw ScriptedTLSServer.Failure(step: "certificate")
      }
      self.key = key
      self.certificate = certificate
      let subject = X509_get_subject_name(certificate)
      X509_set_version(certificate, 2)
      ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), UInt64.random(in: 1...UInt64(Int64.max)))
      X509_time_adj_ex(X509_getm_notBefore(certificate), 0, -7200, nil)
      X509_time_adj_ex(X509_getm_notAfter(certificate), isExpired ? 0 : 1, isExpired ? -3600 : 0, nil)
      X509_NAME_add_entry_by_txt(subject, "CN", Int32(MBSTRING_UTF8), name, Int32(name.utf8.count), -1, 0)
      X509_set_issuer_name(certificate, X509_get_subject_name(issuer?.certificate ?? certificate))
      X509_set_pubkey(certificate, key)
      let extensions =
        isAuthority
        ? [(NID_basic_constraints, "critical,CA:TRUE"), (NID_key_usage, "critical,keyCertSign")]
        : [(NID_basic_constraints, "critical,CA:FALSE"), (NID_subject_alt_name, "IP:\(address)")]
      for (identifier, value) in extensions where understudy_add_extension(certificate, identifier, value) != 1 {
        throw ScriptedTLSServer.Failure(step: "extension")
      }
      guard X509_sign(certificate, issuer?.key ?? key, EVP_sha256()) > 0 else {
        throw ScriptedTLSServer.Failure(step: "signature")
      }
    }

    deinit {
      X509_free(certificate)
      EVP_PKEY_free(key)
    }

    func certificatePEM() throws -> String { try PEM.text { PEM_write_bio_X509($0, certificate) } }
    func keyPEM() throws -> String { try PEM.text { PEM_write_bio_PrivateKey($0, key, nil, nil, 0, nil, nil) } }
  }
}
