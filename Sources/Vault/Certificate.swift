import COpenSSL

/// The owner of one OpenSSL certificate, on the thread that reads or makes it.
final class Certificate {
  /// The handle, freed with the owner.
  let handle: OpaquePointer

  /// The first certificate in PEM text; throws `malformedCertificate`.
  init(pem: String) throws(VaultError) {
    let buffer = try MemoryBuffer(pem)
    // The buffer's last use is its handle, so nothing else keeps it during the call.
    guard let handle = withExtendedLifetime(buffer, { PEM_read_bio_X509(buffer.handle, nil, nil, nil) }) else {
      // The failure stays in a queue of the thread, where a TLS connection would take it for its own.
      ERR_clear_error()
      throw .malformedCertificate
    }
    self.handle = handle
  }

  /// A certificate over `key`'s public half, signed by itself.
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

  /// How many days before it is made a certificate begins: a clock that is set back must not make it one of the future.
  private static let leadDays: Int32 = 30

  /// Version 3, a random positive serial number of 127 bits, and the time from `leadDays` ago on.
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

  /// The common name of 1 to 64 bytes (RFC 5280, ub-common-name), as subject and issuer.
  private func setName(_ commonName: String) throws(VaultError) {
    let bytes = Array(commonName.utf8)
    guard (1...64).contains(bytes.count) else { throw .invalidCertificateName }
    let name = X509_get_subject_name(handle)
    guard X509_NAME_add_entry_by_txt(name, "CN", Int32(MBSTRING_UTF8), bytes, Int32(bytes.count), -1, 0) == 1,
      X509_set_issuer_name(handle, name) == 1
    else { throw .certificateNotMade(step: "name") }
  }

  /// Adds one extension in OpenSSL's configuration syntax.
  private func add(_ identifier: Int32, _ value: String) throws(VaultError) {
    guard understudy_add_extension(handle, identifier, value) == 1 else {
      ERR_clear_error()
      throw .certificateNotMade(step: "extension \(identifier)")
    }
  }

  /// Whether the wall clock stands before the certificate's first instant.
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
