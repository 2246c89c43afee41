import HTTPTypes
import Logging
import RPC
import Storage
import Vault

/// The routes of a backend that responds from a recording. Sign-in, refresh and logout are its own; every other call gets the
/// recorded responses of the same call.
struct RecordedRoutes: CallRouting {
  private struct Key: Hashable {
    let method: HTTPRequest.Method
    let path: String
  }

  private let services: BackendServices
  private let positions = ReplayPositions()
  private var routes: [Key: BackendRoute] = [:]

  init(_ recording: ReplayedRecording, services: BackendServices) {
    self.services = services
    let session = ReplaySession(services: services, positions: positions)
    for route in BackendLoginMessageRoutes(services: services).routes { add(route.handled(by: session.requestMessage)) }
    for (key, exchanges) in Dictionary(grouping: recording.exchanges, by: { Key(method: $0.method, path: $0.path) }) {
      let call = RecordedCall(exchanges)
      if !call.sequences.isEmpty { add(route(of: key, call, exchanges)) }
    }
    for route in BackendLoginRoutes(services: services).routes {
      let isLink = route.path == AuthEndpoints.LoginWithMagicToken.path
      add(route.handled(by: isLink ? session.loginWithMagicToken : session.loginWithCode))
    }
    for route in BackendSessionRoutes(services: services).routes { add(route) }
  }

  func route(of head: CallHead) throws(BackendFailure) -> BackendRoute {
    let direct = routes[Key(method: head.method, path: head.path)]
    guard let route = direct ?? (head.method == .head ? routes[Key(method: .get, path: head.path)] : nil) else {
      Self.note(head, services)
      throw .notRecorded(head.method, head.path)
    }
    return route
  }

  private mutating func add(_ route: BackendRoute) { routes[Key(method: route.method, path: route.path)] = route }

  private func route(of key: Key, _ call: RecordedCall, _ exchanges: [ReplayedRecording.Exchange]) -> BackendRoute {
    let endpoint = EndpointCatalogue.endpoint(key.method, path: key.path)
    let needsSession = endpoint?.requiresAuth ?? exchanges.contains(where: \.isAuthorized)
    return BackendRoute(recorded: key.method, key.path, access: needsSession ? .session : .open) { [services, positions] sent in
      let head = sent.request
      guard let index = call.sequence(query: head.query, body: sent.body) else {
        Self.note(head, services)
        throw BackendFailure.notRecorded(head.method, head.path, "is in the recording, but with another query or body")
      }
      let exchanges = call.sequences[index].exchanges
      let position = positions.next(
        ReplayPositions.SequenceID(method: key.method.rawValue, path: key.path, index: index), count: exchanges.count,
        device: head.deviceID ?? "", key: head.fields[.idempotencyKey])
      let exchange = exchanges[position]
      return Answer(
        status: HTTPResponse.Status(code: exchange.status), body: exchange.body.isEmpty ? nil : exchange.body,
        recordedFields: exchange.fields)
    }
  }

  private static func note(_ head: CallHead, _ services: BackendServices) {
    services.log.warning(
      "call is not in the recording", metadata: ["method": "\(head.method.rawValue)", "path": "\(head.path.prefix(200))"])
  }
}

/// Signs devices in to a backend that responds from a recording; every code and every link is accepted.
struct ReplaySession: Sendable {
  let services: BackendServices
  let positions: ReplayPositions

  /// Owns every session; its data is never shown, because the recording has its own.
  private static let owner = "replay@understudy.invalid"

  /// `POST /rpc/login_with_code`.
  func loginWithCode(_ call: BackendCall) async throws -> Answer {
    _ = try call.decode(CodeRedemption.self)
    return try await begin(call)
  }

  /// `POST /rpc/login_with_magic_token`.
  func loginWithMagicToken(_ call: BackendCall) async throws -> Answer {
    _ = try call.decode(MagicTokenRedemption.self)
    return try await begin(call)
  }

  /// `POST /rpc/request_magic_link` and `POST /rpc/request_login_code`, if the recording has neither: nothing is sent.
  func requestMessage(_ call: BackendCall) async throws -> Answer {
    _ = try call.decode(LoginCodeRequest.self)
    return try .json(LoginMessageReceipt(cooldownSeconds: 0, expiresInSeconds: Int(clamping: Lifetimes.message / 1000)))
  }

  /// Starts a session with fresh tokens, and the recording from its beginning.
  private func begin(_ call: BackendCall) async throws -> Answer {
    let deviceID = try call.requiredDeviceID()
    let tokens = try await services.storage.write { transaction in
      let session = try Session.begin(
        transaction, account: try Self.account(transaction, call), deviceID: deviceID, now: call.now)
      return try IssuedTokens.issue(transaction, session: session, pairID: SecureRandom.uuid(), secrets: .random(), now: call.now)
    }
    positions.restart(device: deviceID)
    var answer = try Answer.json(tokens.body(profile: nil, now: call.now))
    answer.events.append(AuditEvent(kind: .login, sessionID: tokens.sessionID))
    return answer
  }

  private static func account(_ transaction: any StorageTransaction, _ call: BackendCall) throws -> Account {
    guard let identifier = LoginIdentifier(owner) else { throw BackendFailure.internal }
    if let account = try Account.find(transaction, identifier: identifier) { return account }
    let account = try Account.create(transaction, identifier: identifier, now: call.now)
    // The profile that comes with tokens would not be one of the recording.
    try transaction.execute("UPDATE account SET active_profile_id = NULL WHERE account_id = ?", account.accountID)
    return account
  }
}
