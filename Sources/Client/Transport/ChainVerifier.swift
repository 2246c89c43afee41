import COpenSSL
import Vault

/// Verifies a server's certificate chain: first with OpenSSL, then for a pinned key in the chain that OpenSSL built, never in
/// the one that was sent.
///
/// Used on the loop's thread only; must outlive every TLS context that it is installed in.
final class ChainVerifier {
  private let pins: Set<SPKIPin>
  private let mode: TransportConfiguration.PinMode
  private let onReport: @Sendable ([String]) -> Void
  private let onCertificate: (@Sendable (ServedCertificate) -> Void)?
  /// The attempt that created each TLS context; a connection outlives its attempt, whose entry is removed then.
  private var owners: [OpaquePointer: CurlTransfer] = [:]

  /// Creates a verifier that requires one of `pins`, if there are any; `onReport` is called with mismatches in mode `report`, and
  /// `onCertificate` with every server's certificate.
  init(
    pins: Set<SPKIPin>, mode: TransportConfiguration.PinMode, onReport: @escaping @Sendable ([String]) -> Void,
    onCertificate: (@Sendable (ServedCertificate) -> Void)?
  ) {
    self.pins = pins
    self.mode = mode
    self.onReport = onReport
    self.onCertificate = onCertificate
  }

  /// Installs the verification in a new connection's TLS context, created for `transfer`.
  func install(in context: OpaquePointer, for transfer: CurlTransfer) {
    understudy_refuse_renegotiation(context)
    guard !pins.isEmpty || onCertificate != nil else { return }
    owners[context] = transfer
    SSL_CTX_set_cert_verify_callback(
      context,
      { store, verifier in
        guard let store, let verifier else { return 0 }
        return Unmanaged<ChainVerifier>.fromOpaque(verifier).takeUnretainedValue().verify(store) ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Removes an attempt whose connections stay open.
  func forget(_ transfer: CurlTransfer) {
    if let context = transfer.tlsContext, owners[context] === transfer { owners[context] = nil }
  }

  /// OpenSSL calls it during the handshake, before any byte of a request is sent, and not for a resumed session, which only
  /// attempts with the same policy can resume.
  private func verify(_ store: OpaquePointer) -> Bool {
    // Like libcurl: a certificate in the trust store ends the chain, even one that is no authority.
    X509_VERIFY_PARAM_set_flags(X509_STORE_CTX_get0_param(store), UInt(X509_V_FLAG_PARTIAL_CHAIN))
    let isTrusted = X509_verify_cert(store) == 1
    if let onCertificate, let certificate = X509_STORE_CTX_get0_cert(store) {
      onCertificate(
        ServedCertificate(certificate, pin: Self.pin(of: certificate), error: X509_STORE_CTX_get_error(store)))
    }
    guard isTrusted else { return false }
    guard !pins.isEmpty else { return true }
    let chain = Self.chain(of: store)
    if chain.contains(where: pins.contains) { return true }
    guard mode == .enforce else {
      onReport(chain.map(\.description))
      return true
    }
    if let ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()),
      let context = SSL_get_SSL_CTX(OpaquePointer(ssl))
    {
      owners[context]?.presentedPins = chain.map(\.description)
    }
    X509_STORE_CTX_set_error(store, X509_V_ERR_APPLICATION_VERIFICATION)
    return false
  }

  /// The pins of the verified chain, leaf first.
  private static func chain(of store: OpaquePointer) -> [SPKIPin] {
    guard let chain = X509_STORE_CTX_get0_chain(store) else { return [] }
    return (0..<max(0, understudy_chain_count(chain))).compactMap { index in
      guard let certificate = understudy_chain_certificate(chain, index) else { return nil }
      return pin(of: certificate)
    }
  }

  private static func pin(of certificate: OpaquePointer) -> SPKIPin? {
    let key = X509_get_X509_PUBKEY(certificate)
    let length = i2d_X509_PUBKEY(key, nil)
    guard length > 0 else { return nil }
    let der = [UInt8](unsafeUninitializedCapacity: Int(length)) { bytes, count in
      var cursor = bytes.baseAddress
      count = Int(max(0, i2d_X509_PUBKEY(key, &cursor)))
    }
    return SPKIPin(digest: SHA256Digest.hash(der))
  }
}
