import COpenSSL
import Glibc
import Testing
import Text

@testable import Vault

struct ServerCertificateTests {
  private let made: ServerCertificate

  init() throws {
    made = try ServerCertificate.selfSigned(
      commonName: "understudy", names: ["localhost", "backend.test"], addresses: ["127.0.0.1", "::1"], days: 30)
  }

  @Test func itStandsForItsNamesAndAddressesAlone() throws {
    let owner = try Certificate(pem: made.certificatePEM)
    defer { withExtendedLifetime(owner) {} }
    let certificate = owner.handle
    for name in ["localhost", "backend.test"] { #expect(X509_check_host(certificate, name, 0, 0, nil) == 1) }
    for name in ["understudy", "other.test", "a.localhost"] { #expect(X509_check_host(certificate, name, 0, 0, nil) == 0) }
    for address in ["127.0.0.1", "::1"] { #expect(X509_check_ip_asc(certificate, address, 0) == 1) }
    #expect(X509_check_ip_asc(certificate, "127.0.0.2", 0) == 0)
  }

  @Test func itIsAnEndEntityForServersWithAP256Key() throws {
    let owner = try Certificate(pem: made.certificatePEM)
    defer { withExtendedLifetime(owner) {} }
    let certificate = owner.handle
    #expect(X509_get_version(certificate) == 2)
    #expect(X509_check_ca(certificate) == 0)
    #expect(X509_get_key_usage(certificate) == UInt32(KU_DIGITAL_SIGNATURE))
    #expect(X509_get_extended_key_usage(certificate) == UInt32(XKU_SSL_SERVER))
    #expect(EVP_PKEY_get_bits(X509_get0_pubkey(certificate)) == 256)
    #expect(X509_get_signature_nid(certificate) == NID_ecdsa_with_SHA256)
    #expect(X509_cmp_current_time(X509_get0_notBefore(certificate)) < 0)
    #expect(X509_cmp_current_time(X509_get0_notAfter(certificate)) > 0)
    var soon = time(nil) + 29 * 86400
    #expect(X509_cmp_time(X509_get0_notAfter(certificate), &soon) > 0)
    soon += 2 * 86400
    #expect(X509_cmp_time(X509_get0_notAfter(certificate), &soon) < 0)
  }

  @Test func itIsItsOwnTrustAnchor() throws {
    #expect(try Self.verify(made, trusting: made) == X509_V_OK)
    let other = try ServerCertificate.selfSigned(commonName: "understudy", names: ["localhost"], addresses: [], days: 30)
    #expect(try Self.verify(made, trusting: other) != X509_V_OK)
  }

  /// Verifies a server certificate with partial chains allowed, as libcurl does.
  private static func verify(_ server: ServerCertificate, trusting anchor: ServerCertificate) throws -> Int32 {
    let store = X509_STORE_new()
    defer { X509_STORE_free(store) }
    let anchor = try Certificate(pem: anchor.certificatePEM)
    let server = try Certificate(pem: server.certificatePEM)
    defer { withExtendedLifetime((anchor, server)) {} }
    #expect(X509_STORE_add_cert(store, anchor.handle) == 1)
    let context = X509_STORE_CTX_new()
    defer { X509_STORE_CTX_free(context) }
    #expect(X509_STORE_CTX_init(context, store, server.handle, nil) == 1)
    X509_STORE_CTX_set_flags(context, UInt(X509_V_FLAG_PARTIAL_CHAIN))
    #expect(X509_STORE_CTX_set_default(context, "ssl_server") == 1)
    _ = X509_verify_cert(context)
    return X509_STORE_CTX_get_error(context)
  }

  @Test func theKeyFitsTheCertificate() throws {
    let buffer = try MemoryBuffer(made.privateKeyPEM)
    let certificate = try Certificate(pem: made.certificatePEM)
    let key = withExtendedLifetime(buffer) { PEM_read_bio_PrivateKey(buffer.handle, nil, nil, nil) }
    defer { EVP_PKEY_free(key) }
    #expect(withExtendedLifetime(certificate) { X509_check_private_key(certificate.handle, key) } == 1)
    #expect(made.privateKeyPEM.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
  }

  /// The expected pin was computed by `openssl x509 -pubkey | openssl pkey -pubin -outform der | openssl dgst -sha256`.
  @Test func thePinIsThatOfTheOpenSSLTool() throws {
    #expect(try ServerCertificate.pin(ofCertificatePEM: Self.fixed) == Self.fixedPin)
  }

  @Test func aPinBelongsToItsKey() throws {
    #expect(try made.pin == ServerCertificate.pin(ofCertificatePEM: made.certificatePEM))
    #expect(try made.pin.hasPrefix("sha256/"))
    #expect(try Base64.decode(String(made.pin.dropFirst(7)))?.count == 32)
    let other = try ServerCertificate.selfSigned(commonName: "understudy", names: ["localhost"], addresses: [], days: 30)
    #expect(try other.pin != made.pin)
    let read = try ServerCertificate(certificatePEM: made.certificatePEM, privateKeyPEM: made.privateKeyPEM)
    #expect(try read.pin == made.pin)
  }

  @Test(arguments: [
    "", "-----BEGIN CERTIFICATE-----", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "pem\u{0}",
  ])
  func textThatIsNoCertificateIsRefused(pem: String) {
    #expect(throws: VaultError.malformedCertificate) { try ServerCertificate.pin(ofCertificatePEM: pem) }
    #expect(ERR_peek_error() == 0)
  }

  @Test(arguments: [
    "", "a,DNS:evil.test", "a b", "-a", "a-", "a..b", "*.test", "a\nb", "a\u{0}", "ä.test", String(repeating: "a", count: 64),
  ])
  func namesThatCouldCarryMoreAreRefused(name: String) {
    #expect(throws: VaultError.invalidCertificateName) {
      try ServerCertificate.selfSigned(commonName: "understudy", names: [name], addresses: [], days: 1)
    }
  }

  @Test(arguments: ["", "localhost", "127.0.0.1,DNS:a", "1.2.3", "::1%lo", "[::1]", "::1\u{0}"])
  func addressesThatAreNoneAreRefused(address: String) {
    #expect(throws: VaultError.invalidCertificateName) {
      try ServerCertificate.selfSigned(commonName: "understudy", names: [], addresses: [address], days: 1)
    }
  }

  @Test func aCertificateNeedsANameAndACommonNameThatFits() {
    #expect(throws: VaultError.invalidCertificateName) {
      try ServerCertificate.selfSigned(commonName: "understudy", names: [], addresses: [], days: 1)
    }
    for name in ["", String(repeating: "a", count: 65)] {
      #expect(throws: VaultError.invalidCertificateName) {
        try ServerCertificate.selfSigned(commonName: name, names: ["localhost"], addresses: [], days: 1)
      }
    }
  }

  @Test func numbersAndLifetimesDoNotTrap() throws {
    for days in [Int.min, -1, 0, Int.max] {
      _ = try ServerCertificate.selfSigned(commonName: "understudy", names: ["localhost"], addresses: [], days: days)
    }
  }

  @Test func theKeyDoesNotPrint() {
    var dumped = ""
    dump(made, to: &dumped)
    for text in ["\(made)", String(reflecting: made), dumped] { #expect(!text.contains("PRIVATE")) }
  }

  private static let fixedPin = "sha256/jpEuFDvCaFVc8zZl/hWZhzenE+rEO0l1J4zMo0JAbws="

  private static let fixed = """
    -----BEGIN CERTIFICATE-----
    MIIBdjCCAR2gAwIBAgIUesRbowj7Tz4c/iSPngZTrk52RnYwCgYIKoZIzj0EAwIw
    EDEOMAwGA1UEAwwFZml4ZWQwIBcNMjYxMTIxMDMyNTUwWhgPMjEyNjEwMjgwMzI1
    NTBaMBAxDjAMBgNVBAMMBWZpeGVkMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
    u1uaML+HknEC353AZqagb3Z6FhD7BEwR24fsy6sejz08hs3c32A24MmgS1vO9w0S
    K0yLwTKim4IBFL3Ad+Gz0aNTMFEwHQYDVR0OBBYEFKXBK/Uzt7BV4B82pw9K3lus
    ZGLGMB8GA1UdIwQYMBaAFKXBK/Uzt7BV4B82pw9K3lusZGLGMA8GA1UdEwEB/wQF
    MAMBAf8wCgYIKoZIzj0EAwIDRwAwRAIgKqDaQVBiEocQTPLZAhWecBmhQlAqOCpu
    KkzLAMUGE3ICIFdDOoXwsN6b4Irc5UW8TXxbloVsyoj40WuVvvc29vYi
    -----END CERTIFICATE-----
    """
}
