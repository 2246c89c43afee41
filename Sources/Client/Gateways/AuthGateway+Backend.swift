import Domain
import Logging
import Observability
import Redaction
import RPC

extension AuthGateway {
  /// The login operations as calls to the backend; secrets are registered before anything is sent.
  static func backend(
    api: APIClient, secrets: SecretRegistry, logger: Logger, logout: @escaping @Sendable (LogoutReason) async -> Void
  ) -> AuthGateway {
    AuthGateway(
      requestMagicLink: { identifier, state throws(AuthError) in
        secrets.register(identifier)
        secrets.register(state, kind: .token)
        let body = MagicLinkRequest(identifier: identifier.text, state: state)
        return try await receipt { () throws(NetworkError) in try await api.send(AuthEndpoints.RequestMagicLink(), body: body) }
      },
      requestLoginCode: { identifier throws(AuthError) in
        secrets.register(identifier)
        let body = LoginCodeRequest(identifier: identifier.text)
        return try await receipt { () throws(NetworkError) in try await api.send(AuthEndpoints.RequestLoginCode(), body: body) }
      },
      redeemMagicToken: { token, state throws(AuthError) in
        secrets.register(token, kind: .token)
        if let state, !state.isEmpty { secrets.register(state, kind: .token) }
        try await signIn(api, logger, AuthEndpoints.LoginWithMagicToken(), MagicTokenRedemption(token: token, state: state))
      },
      redeemCode: { identifier, code throws(AuthError) in
        secrets.register(identifier)
        secrets.register(code, kind: .code)
        try await signIn(api, logger, AuthEndpoints.LoginWithCode(), CodeRedemption(identifier: identifier.text, code: code))
      },
      logout: logout)
  }

  private static func receipt(
    _ call: () async throws(NetworkError) -> LoginMessageReceipt
  ) async throws(AuthError) -> LoginRequestReceipt {
    do throws(NetworkError) {
      let answer = try await call()
      return LoginRequestReceipt(
        cooldownSeconds: max(answer.cooldownSeconds, 0), expiresInSeconds: max(answer.expiresInSeconds, 0))
    } catch {
      throw AuthError(error, refusal: .requestRefused)
    }
  }

  /// Signs in and adopts the tokens; their lifetime counts from when the request was sent.
  private static func signIn<E: APIEndpoint>(
    _ api: APIClient, _ logger: Logger, _ endpoint: E, _ body: E.RequestBody
  ) async throws(AuthError) where E.ResponseBody == TokenPair {
    do throws(NetworkError) {
      let receipt = try await api.receive(endpoint, body: body)
      let tokens = try SessionTokens(
        receipt.body, sentAt: receipt.sentAt, sentWall: receipt.sentWall,
        clockCorrection: api.attemptSender.clock.correctionSeconds, answeredAt: receipt.answeredAt)
      try await api.session.adopt(tokens)
      logger.info("signed in", metadata: ["by": "\(E.name)"])
    } catch {
      logger.notice("sign-in failed", metadata: ["by": "\(E.name)", "reason": "\(error.word)"])
      throw AuthError(error, refusal: E.self == AuthEndpoints.LoginWithCode.self ? .loginCodeInvalid : .loginLinkInvalid)
    }
  }
}

extension SecretRegistry {
  /// Registers an email address or phone number.
  func register(_ identifier: Identifier) {
    register(identifier.text, kind: identifier.kind == .email ? .email : .phone)
  }
}
