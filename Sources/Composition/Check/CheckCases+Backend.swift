import Client
import Console
import Domain
import Vault

extension CheckCase {
  /// What needs nobody to sign in.
  static let backend: [CheckCase] = [
    CheckCase("app-config", "backend", "The configuration is read") { subject in
      let device = try await subject.newDevice()
      subject.first = device
      let config: AppConfig
      do throws(AccountError) { config = try await device.client.account.fetchAppConfig() } catch {
        subject.isUnreachable = error == .failed(.offline)
        throw error
      }
      let codes = config.supportedLanguages.map(\.code)
      try subject.expect(
        codes.contains(config.defaultLanguageCode), "the default language is not among the supported ones")
      try subject.expect(Set(codes).count == codes.count, "a supported language is named twice")
      await device.refreshConfig()
      subject.config = config
    },
    CheckCase("pin-mismatch", "backend", "A key that is not pinned is refused before anything is sent") { subject in
      _ = try subject.knownConfig()
      var configuration = subject.backend.configuration
      configuration.pins = Set([SPKIPin(digest: SecureRandom.bytes(32))].compactMap { $0 })
      let transport = try RotatingTransport(configuration)
      let client = subject.client(transport: transport.transport)
      try await subject.expect(AccountError.failed(.pinMismatch), "pin_mismatch") {
        _ = try await client.account.fetchAppConfig()
      }
      await transport.shutdown()
    },
    CheckCase("bad-signature", "backend", "A wrong signature is refused, and nobody is signed out for it") { subject in
      _ = try subject.knownConfig()
      guard let secret = subject.backend.apiSecret else { throw CheckStop.skipped("calls are not signed; no --api-id") }
      let client = subject.client(apiSecret: "\(secret) and more")
      try await subject.expect(AccountError.failed(.signatureRejected), "signature_rejected") {
        _ = try await client.account.fetchAppConfig()
      }
    },
    CheckCase("offline", "backend", "A backend out of reach is told of as offline, and is used again once it is back") {
      subject in
      _ = try subject.knownConfig()
      let (client, nobody) = (subject.client(), try CheckSubject.newIdentifier())
      subject.backend.wire.setCut(true)
      defer { subject.backend.wire.setCut(false) }
      try await subject.expect(AuthError.failed(.offline), "offline") {
        _ = try await client.auth.requestLoginCode(nobody)
      }
      subject.backend.wire.setCut(false)
      _ = try await client.account.fetchAppConfig()
    },
  ]
}
