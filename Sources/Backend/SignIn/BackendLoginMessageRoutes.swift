import HTTPTypes
import OpenAPI
import RPC
import Storage
import Vault

/// Requesting sign-in links and codes.
struct BackendLoginMessageRoutes: Sendable {
  let services: BackendServices

  var routes: [BackendRoute] {
    [
      BackendRoute(
        AuthEndpoints.RequestMagicLink.self,
        RouteDescription(
          tag: .login, summary: "Sends a link and a code; the answer is the same for unknown identifiers.",
          success: [.ok: "Sent."], failures: [.tooManyAttempts],
          request: .request(MagicLinkRequest.self).replacing(["identifier": .identifier])
            .refined(["state": .nullable && .length(1...Self.maximumStateLength) && .noControlCharacters])),
        needsDevice: true, handler: requestMagicLink),
      BackendRoute(
        AuthEndpoints.RequestLoginCode.self,
        RouteDescription(
          tag: .login, summary: "Sends a code; the answer is the same for unknown identifiers.", success: [.ok: "Sent."],
          failures: [.tooManyAttempts],
          request: .request(LoginCodeRequest.self).replacing(["identifier": .identifier])),
        needsDevice: true, handler: requestLoginCode),
    ]
  }

  /// The longest `state` of a link, in Unicode scalars.
  private static let maximumStateLength = 512

  /// `POST /rpc/request_magic_link`: sends a link and a code.
  private func requestMagicLink(_ call: BackendCall) async throws -> Answer {
    let body = try call.decode(MagicLinkRequest.self)
    if let state = body.state, !(1...Self.maximumStateLength).contains(state.unicodeScalars.count) || state.hasControlCharacters {
      throw BackendFailure.invalidRequest(
        "The state must have 1 to \(Self.maximumStateLength) characters and no control characters.")
    }
    let secrets = LoginChallenge.Secrets(linkToken: TokenSecrets.token(), code: SecureRandom.digits(Lifetimes.codeLength))
    return try await send(secrets, to: body.identifier, state: body.state, call)
  }

  /// `POST /rpc/request_login_code`: sends a code.
  private func requestLoginCode(_ call: BackendCall) async throws -> Answer {
    let body = try call.decode(LoginCodeRequest.self)
    let secrets = LoginChallenge.Secrets(linkToken: nil, code: SecureRandom.digits(Lifetimes.codeLength))
    return try await send(secrets, to: body.identifier, state: nil, call)
  }

  /// Runs the same statements and returns the same response whether the identifier has an account or not.
  private func send(_ secrets: LoginChallenge.Secrets, to raw: String, state: String?, _ call: BackendCall) async throws -> Answer
  {
    let deviceID = try call.requiredDeviceID()
    guard let identifier = LoginIdentifier(raw) else { throw BackendFailure.invalidIdentifier }
    let services = services
    let mode = services.limits.mode
    let (outcome, isDecoy) = try await services.storage.write { transaction in
      let isKnown = try Account.find(transaction, identifier: identifier) != nil
      let challenge = LoginChallenge(identifier: identifier, isDecoy: !isKnown && services.registration == .closed)
      let outcome = try SendLimit.record(
        transaction, identifier: identifier.text, from: .init(deviceID: deviceID, address: call.client), now: call.now, mode: mode
      )
      if case .sent = outcome {
        try LoginChallenge.issue(
          transaction, to: challenge, secrets: secrets, state: state, codeKey: services.codeKey, now: call.now)
      }
      return (outcome, challenge.isDecoy)
    }
    switch outcome {
    case .refused(let wait):
      services.audit.record(AuditEvent(kind: .sendLimited))
      throw BackendFailure.tooManyAttempts(retryAfter: SendLimit.wholeSeconds(wait))
    case .sent(let cooldown):
      let message = InboxMessage(
        id: SecureRandom.uuid(), to: identifier.text,
        link: secrets.linkToken.map { services.linkBase.link(token: $0, state: state) }, code: secrets.code,
        deliveredAt: call.now, expiresAt: call.now.adding(Lifetimes.message))
      services.delivery.send(MessageDelivery.Item(message: message, isDecoy: isDecoy))
      return try .json(
        LoginMessageReceipt(
          cooldownSeconds: SendLimit.wholeSeconds(cooldown), expiresInSeconds: Int(clamping: Lifetimes.message / 1000)))
    }
  }
}

extension LoginMessageReceipt: DescribedBody {
  static let schema = Schema.recorded(from: LoginMessageReceipt.self)
    .refined(["cooldown_seconds": .minimum(0), "expires_in_seconds": .minimum(1)]).named("LoginMessageReceipt")
}
