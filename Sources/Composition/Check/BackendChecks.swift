import BackendFile
import Client
import Console
import Domain
import Vault

extension CheckCase {
  /// The checks that need no sign-in.
  static let backend: [CheckCase] = [
    CheckCase("app-config", "backend", "The configuration is returned", isGround: true) { context in
      let device = try await context.newDevice()
      context.first = device
      let config: AppConfig
      do throws(AccountError) { config = try await device.client.account.fetchAppConfig() } catch {
        context.isUnreachable = error == .failed(.offline)
        throw error
      }
      if let file = context.backend.link.file, !file.content.definition.has(.appConfig) {
        await device.refreshConfig()
        context.config = device.config
        throw CheckStop.skipped("the backend file has no app_config")
      }
      let codes = config.supportedLanguages.map(\.code)
      try context.expect(
        codes.contains(config.defaultLanguageCode), "the default language is not among the supported ones")
      try context.expect(Set(codes).count == codes.count, "a supported language is listed twice")
      await device.refreshConfig()
      context.config = device.config
    },
    CheckCase("pin-mismatch", "backend", "A key that is not pinned is rejected before anything is sent", needs: [.appConfig]) {
      context in
      _ = try context.requireConfig()
      var configuration = context.backend.configuration
      configuration.pins = Set([SPKIPin(digest: SecureRandom.bytes(32))].compactMap { $0 })
      let transport = try RotatingTransport(configuration)
      let client = context.client(transport: transport.transport)
      try await context.expect(AccountError.failed(.pinMismatch)) {
        _ = try await client.account.fetchAppConfig()
      }
      await transport.shutdown()
    },
    CheckCase("bad-signature", "backend", "A wrong signature is rejected and signs nobody out", needs: [.appConfig]) { context in
      _ = try context.requireConfig()
      guard let secret = context.backend.signingKey?.secret else {
        throw CheckStop.skipped("calls are not signed without --api-id")
      }
      let client = context.client(apiSecret: "\(secret) and more")
      try await context.expect(AccountError.failed(.signatureRejected)) {
        _ = try await client.account.fetchAppConfig()
      }
    },
    CheckCase(
      "offline", "backend", "An unreachable backend is reported as offline and used again once it is back",
      needs: [.requestLoginCode]
    ) {
      context in
      _ = try context.requireConfig()
      let client = context.client()
      let nobody = try CheckContext.newIdentifier()
      context.backend.network.setOffline(true)
      defer { context.backend.network.setOffline(false) }
      try await context.expect(AuthError.failed(.offline)) {
        _ = try await client.auth.requestLoginCode(nobody, context.further(of: "request_login_code"))
      }
      context.backend.network.setOffline(false)
      _ = try await client.account.fetchAppConfig()
    },
  ]
}
