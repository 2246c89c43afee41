import BackendFile
package import Domain
import Logging
package import Redaction
import RPC

extension AuthGateway {
  /// The login operations as calls to the backend; secrets are registered before anything is sent.
  static func backend(
    api: APIClient, secrets: SecretRegistry, logger: Logger, logout: @escaping @Sendable (LogoutReason) async -> Void
  ) -> AuthGateway {
    AuthGateway(
      requestMagicLink: { identifier, state, further throws(AuthError) in
        secrets.register(identifier)
        secrets.register(state, kind: .token)
        return try await receipt(
          api, secrets, AuthEndpoints.RequestMagicLink(), MagicLinkRequest(identifier: identifier?.text ?? "", state: state),
          further)
      },
      requestLoginCode: { identifier, further throws(AuthError) in
        secrets.register(identifier)
        return try await receipt(
          api, secrets, AuthEndpoints.RequestLoginCode(), LoginCodeRequest(identifier: identifier?.text ?? ""), further)
      },
      redeemMagicToken: { token, state, further throws(AuthError) in
        secrets.register(token, kind: .token)
        if let state, !state.isEmpty { secrets.register(state, kind: .token) }
        try await signIn(
          api, secrets, logger, AuthEndpoints.LoginWithMagicToken(), MagicTokenRedemption(token: token, state: state), further,
          refusal: .loginLinkInvalid)
      },
      redeemCode: { identifier, code, further throws(AuthError) in
        secrets.register(identifier)
        // Another backend's code may differ in form from the contract's.
        secrets.register(code, kind: api.attemptSender.configuration.backendFile == nil ? .code : .key)
        try await signIn(
          api, secrets, logger, AuthEndpoints.LoginWithCode(), CodeRedemption(identifier: identifier?.text ?? "", code: code),
          further,
          refusal: .loginCodeInvalid)
      },
      redeemPassword: { identifier, password, further throws(AuthError) in
        secrets.register(identifier)
        secrets.register(password, kind: .key)
        try await signIn(
          api, secrets, logger, AuthEndpoints.LoginWithPassword(),
          PasswordRedemption(identifier: identifier?.text ?? "", password: password), further, refusal: .passwordInvalid)
      },
      logout: logout)
  }

  private static func receipt<E: APIEndpoint>(
    _ api: APIClient, _ secrets: SecretRegistry, _ endpoint: E, _ body: E.RequestBody, _ further: [String: String]
  ) async throws(AuthError) -> LoginRequestReceipt where E.ResponseBody == LoginMessageReceipt {
    secrets.register(further: further)
    do throws(NetworkError) {
      let answer = try await api.receive(endpoint, body: body, further: further).body
      return LoginRequestReceipt(
        cooldownSeconds: max(answer.cooldownSeconds, 0), expiresInSeconds: max(answer.expiresInSeconds, 0))
    } catch {
      throw AuthError(error, refusal: .requestRefused)
    }
  }

  /// Signs in and adopts the tokens; their lifetime counts from when the request was sent.
  private static func signIn<E: APIEndpoint>(
    _ api: APIClient, _ secrets: SecretRegistry, _ logger: Logger, _ endpoint: E, _ body: E.RequestBody,
    _ further: [String: String], refusal: AuthError
  ) async throws(AuthError) where E.ResponseBody == TokenPair {
    secrets.register(further: further)
    do throws(NetworkError) {
      let receipt = try await api.receive(endpoint, body: body, further: further)
      var tokens = try SessionTokens(
        receipt.body, sentAt: receipt.sentAt, sentWall: receipt.sentWall,
        clockCorrection: api.attemptSender.clock.correctionSeconds, answeredAt: receipt.answeredAt,
        needsRefreshToken: receipt.session == nil)
      tokens.captured = receipt.session
      try await api.session.adopt(tokens)
      logger.info("signed in", metadata: ["by": "\(E.name)"])
    } catch {
      logger.notice("sign-in failed", metadata: ["by": "\(E.name)", "reason": "\(error.word)"])
      throw AuthError(error, refusal: refusal)
    }
  }
}

extension Identifier {
  /// The kind of its mask.
  package var secretKind: SecretKind {
    switch kind {
    case .email: .email
    case .phone: .phone
    case .name: .identifier
    }
  }
}

extension SecretRegistry {
  /// Registers an email address, phone number or name; nothing without one.
  func register(_ identifier: Identifier?) {
    guard let identifier else { return }
    register(whole: identifier.text, kind: identifier.secretKind)
  }

  /// Registers the user's typed values in addition to the contract's fields.
  fileprivate func register(further: [String: String]) {
    for (name, value) in further where !value.isEmpty { register(value, kind: FlowValue.secretKind(name) ?? .token) }
  }
}
