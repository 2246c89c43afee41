import COpenSSL

/// Owns an OpenSSL certificate.
final class Certificate {
  let handle: OpaquePointer

  /// Parses the first certificate in PEM text; throws `malformedCertificate`.
  init(pem: String) throws(VaultError) {
    let buffer = try MemoryBuffer(pem)
    // Only the handle is used, so without this the buffer could be freed during the call.
    guard let handle = withExtendedLifetime(buffer, { PEM_read_bio_X509(buffer.handle, nil, nil, nil) }) else {
      // Otherwise the error stays in the thread's queue, and a TLS connection would report it as its own.
      ERR_clear_error()
      throw .malformedCertificate
    }
    self.handle = handle
  }

  /// Creates a self-signed certificate for `key`.
  init(commonName: String, subject: SubjectAlternativeNames, key: PrivateKey, days: Int) throws(VaultError) {
    guard let handle = X509_new() else { throw .certificateNotMade(step: "memory") }
    self.handle = handle
    try setNumberAndDates(days: days)
    try setName(commonName)
    guard X509_set_pubkey(handle, key.handle) == 1 else { throw .certificateNotMade(step: "public key") }
    try add(NID_basic_constraints, "critical,CA:FALSE")
    try add(NID_key_usage, "critical,digitalSignature")
    try add(NID_ext_key_usage, "serverAuth")
    try add(NID_subject_key_identifier, "hash")
    try add(NID_subject_alt_name, subject.configuration)
    guard X509_sign(handle, key.handle, EVP_sha256()) > 0 else { throw .certificateNotMade(step: "signature") }
  }

  deinit { X509_free(handle) }

  /// How many days before its creation a certificate becomes valid, so that it stays valid if the clock is set back.
  private static let leadDays: Int32 = 30

  /// Sets version 3, a random positive serial number of 127 bits, and the validity.
  private func setNumberAndDates(days: Int) throws(VaultError) {
    var serial = SecureRandom.bytes(16)
    serial[0] = serial[0] & 0x7f | 0x40
    guard let number = BN_bin2bn(serial, 16, nil) else { throw .certificateNotMade(step: "serial number") }
    defer { BN_free(number) }
    let lifetime = Int32(clamping: min(max(days, 1), 36_500))
    guard X509_set_version(handle, 2) == 1, BN_to_ASN1_INTEGER(number, X509_get_serialNumber(handle)) != nil,
      X509_time_adj_ex(X509_getm_notBefore(handle), -Self.leadDays, 0, nil) != nil,
      X509_time_adj_ex(X509_getm_notAfter(handle), lifetime, 0, nil) != nil
    else { throw .certificateNotMade(step: "serial number and dates") }
  }

  /// Sets the common name, 1 to 64 bytes (RFC 5280, ub-common-name), as subject and issuer.
  private func setName(_ commonName: String) throws(VaultError) {
    let bytes = Array(commonName.utf8)
    guard (1...64).contains(bytes.count) else { throw .invalidCertificateName }
    let name = X509_get_subject_name(handle)
    guard X509_NAME_add_entry_by_txt(name, "CN", Int32(MBSTRING_UTF8), bytes, Int32(bytes.count), -1, 0) == 1,
      X509_set_issuer_name(handle, name) == 1
    else { throw .certificateNotMade(step: "name") }
  }

  /// Adds an extension in OpenSSL's configuration syntax.
  private func add(_ identifier: Int32, _ value: String) throws(VaultError) {
    guard understudy_add_extension(handle, identifier, value) == 1 else {
      ERR_clear_error()
      throw .certificateNotMade(step: "extension \(identifier)")
    }
  }

  /// Whether the certificate is not valid yet.
  var isOfTheFuture: Bool { X509_cmp_current_time(X509_get0_notBefore(handle)) > 0 }

  /// The certificate as PEM.
  func pem() throws(VaultError) -> String {
    let buffer = try MemoryBuffer()
    guard PEM_write_bio_X509(buffer.handle, handle) == 1 else { throw .certificateNotMade(step: "certificate text") }
    return buffer.text
  }

  /// The DER bytes of its SubjectPublicKeyInfo.
  func subjectPublicKeyInfo() throws(VaultError) -> [UInt8] {
    let key = X509_get_X509_PUBKEY(handle)
    let length = i2d_X509_PUBKEY(key, nil)
    guard length > 0 else { throw .malformedCertificate }
    return [UInt8](unsafeUninitializedCapacity: Int(length)) { bytes, count in
      var cursor = bytes.baseAddress
      count = Int(max(0, i2d_X509_PUBKEY(key, &cursor)))
    }
  }
}
