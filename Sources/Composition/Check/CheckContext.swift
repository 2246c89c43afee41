import Client
import Console
import Domain
import Explain
import FoundationEssentials
import JSON
import Logging
import Observability
import Redaction
import Storage
import Team
import Text
import Vault

/// A backend, the devices that check it, and the state that one check leaves for the next.
///
/// The devices are the console's own, with a database in memory; nothing is stored.
actor CheckContext {
  let backend: CheckTarget
  /// Whether an existing account may be deleted.
  let allowsDeletion: Bool
  /// The identifier to sign in with; nil if none was given and the program cannot create one.
  let identifier: Identifier?

  /// The backend's configuration; nil until it is fetched.
  var config: AppConfig?
  /// Whether the first call did not reach the backend.
  var isUnreachable = false
  /// The device that requests the code.
  var first: Device?
  /// The device that requests the link, for the same account.
  var second: Device?
  /// The code sent to the first device, until it is used.
  var code: String?
  /// The link sent to the second device.
  var link: String?
  /// The last code that was used to sign in.
  var usedCode: String?
  /// Whether a readable message was requested.
  var hasAskedForCode = false
  var hasAskedForLink = false
  /// The tokens of a session that the user ended, and its device.
  var ended: (tokens: StoredTokens, device: Device)?

  /// The flow of the current check, which the rows of its calls carry.
  private var flow = Flow(name: "check")
  private let registry: DeviceRegistry
  private let storage: any StorageEngine
  private let key = SealingKey.random()
  private let logger: Logger
  private let drift: DriftDetector?
  private let redactionRules: RedactionRules
  private let common: SecretRegistry
  /// The logs and secrets of every device and client so far, with the last row before the current check.
  private var records: [(log: NetworkLog, secrets: SecretRegistry, seen: RowSequence)] = []
  /// When the backend accepts another request for a message.
  private var nextMessage: (seconds: Int, at: ContinuousClock.Instant)?
  private var lastMessage: [String: String] = [:]
  /// The number of messages that were requested for an identifier and not read yet.
  private var unreadMessages: [String: Int] = [:]

  /// Creates a context for a backend, whose devices compare their exchanges with the document of `drift`; throws `StartFailure`
  /// if the database cannot be opened.
  init(_ backend: CheckTarget, _ settings: CheckSettings, logger: Logger, drift: DriftDetector? = nil)
    async throws(StartFailure)
  {
    self.drift = drift
    redactionRules = settings.redactionRules
    common = SecretRegistry(tagKey: SecureRandom.bytes(32), rules: redactionRules)
    self.backend = backend
    self.logger = logger
    allowsDeletion = settings.allowDeletion || backend.isEmbedded
    do {
      identifier = try settings.identifier ?? (backend.control == nil ? nil : Self.newIdentifier())
      storage = try await ConsoleDatabase.open(path: nil, teamTables: PersonSchema.tables)
    } catch {
      throw .unavailable("the devices' database cannot be opened")
    }
    for secret in backend.secrets { common.register(secret, kind: .key) }
    registry = DeviceRegistry(
      dependencies: .init(
        storage: storage, key: key, tagKey: SecureRandom.bytes(32), backend: backend.link, transport: backend.network.transport,
        apiID: backend.signingKey?.id, apiSecret: backend.signingKey?.secret, version: Version.text, time: .system,
        logger: logger,
        drift: drift, redactionRules: redactionRules))
  }

  /// Stops every device.
  func stop() async { await registry.stop() }

  // MARK: Devices

  func newDevice() async throws -> Device {
    let (browser, _) = try await registry.store.makeBrowser()
    guard let (record, _) = try await registry.store.makeDevice(browserID: browser.id, name: nil),
      let device = try await registry.device(record)
    else { throw CheckStop.failed("no device could be created") }
    records.append((device.log, device.secrets, 0))
    return device
  }

  /// The device after a restart of the app, once its session has settled.
  func relaunch(_ device: Device) async throws -> Device {
    guard let again = try await registry.relaunch(device) else { throw CheckStop.failed("the device is gone") }
    records.append((again.log, again.secrets, 0))
    for await state in await again.client.session.states() where state.phase != .refreshing { break }
    return again
  }

  /// The token store of the device.
  func tokens(of device: Device) -> SealedTokenStore {
    SealedTokenStore(storage: storage, key: key, backendID: backend.link.id, deviceID: device.id)
  }

  /// A client without a device, for a single test; with `isCompared` false, its exchanges are not compared with a document.
  func client(
    transport: Transport? = nil, apiSecret: String? = nil, deviceID: String = SecureRandom.uuid(),
    tokens: any TokenStore = MemoryTokenStore(), isCompared: Bool = true
  ) -> ClientStack {
    let secrets = SecretRegistry(tagKey: SecureRandom.bytes(32), rules: redactionRules)
    let log = NetworkLog(capacity: 200, bodyBytes: 1 << 20, registry: secrets, comparer: isCompared ? drift?.comparer : nil) {
      _ in
    }
    records.append((log, secrets, 0))
    var configuration = ClientConfiguration(
      origin: backend.link.origin, backendID: backend.link.id, deviceID: deviceID, apiID: backend.signingKey?.id,
      apiSecret: apiSecret ?? backend.signingKey?.secret, userAgent: "understudy/\(Version.text)")
    configuration.backendFile = backend.link.file
    return ClientStack(
      configuration: configuration,
      transport: transport ?? backend.network.transport, tokens: tokens, log: log, secrets: secrets, time: .system, logger: logger
    )
  }

  /// An identifier that no backend has seen.
  static func newIdentifier() throws -> Identifier {
    try Identifier(normalizing: "check-\(Hex.encode(SecureRandom.bytes(6)))@example.com")
  }

  // MARK: Messages

  /// The longest wait until a message may be requested, in seconds.
  private static let longestMessageWait = 120

  /// How long the next check may wait for the next message in addition to its own timeout.
  var messageWait: Duration {
    guard let nextMessage, backend.control == nil else { return .zero }
    return min(max(ContinuousClock.now.duration(to: nextMessage.at), .zero), .seconds(Self.longestMessageWait))
  }

  /// Records when the next message may be requested.
  func setNextMessage(inSeconds seconds: Int) {
    let seconds = min(max(seconds, 0), 86_400)
    nextMessage = (seconds, .now + .seconds(seconds))
  }

  /// Waits exactly until another message may be requested, or advances the clock if it is possible.
  private func waitForNextMessage() async throws {
    guard let nextMessage, nextMessage.seconds > 0 else { return }
    if let control = backend.control {
      try await control.advance(nextMessage.seconds)
    } else {
      guard nextMessage.seconds <= Self.longestMessageWait else {
        throw CheckStop.skipped(
          "the backend requires a wait of \(nextMessage.seconds) s, more than the \(Self.longestMessageWait) s limit")
      }
      try await Task.sleep(until: nextMessage.at, clock: .continuous)
    }
    self.nextMessage = nil
  }

  /// The password, if a call of the backend file asks for one.
  func further(of call: String) -> [String: String] {
    guard let password = backend.password, backend.link.file?.content.offer.asks(call, for: "password") == true else {
      return [:]
    }
    return ["password": password]
  }

  /// Requests a message as soon as the backend accepts the request.
  @discardableResult
  func ask(
    _ message: RequestLogin.Message, by device: Device, for identifier: Identifier?
  ) async throws -> LoginRequestOutcome {
    try await waitForNextMessage()
    let useCase = RequestLogin(gateway: device.client.auth, ledger: device.signInRequests.port, wall: Time.system.wall)
    let outcome = try await useCase(
      message, rawIdentifier: identifier?.text, further: further(of: message.call), config: device.config)
    setNextMessage(inSeconds: outcome.cooldownSeconds)
    unreadMessages[identifier?.text ?? "", default: 0] += 1
    return outcome
  }

  /// The last message to the identifier; throws `CheckStop`, `skipped` if messages cannot be read.
  func message(
    to identifier: Identifier?, kind: RequestLogin.Message
  ) async throws(CheckStop) -> (code: String?, link: String?) {
    let recipient = identifier?.text ?? ""
    if let control = backend.control {
      // Messages arrive later than the response to their request: wait for all of them, so that the last is the one requested last.
      while true {
        let messages = try await control.messages(recipient, lastMessage[recipient])
        guard let message = messages.last else { throw .failed("no message arrived within 10 s") }
        lastMessage[recipient] = message.id
        unreadMessages[recipient, default: 0] -= messages.count
        guard unreadMessages[recipient, default: 0] <= 0 else { continue }
        unreadMessages[recipient] = 0
        return learn(code: message.code, link: message.link)
      }
    }
    guard let command = backend.command else { throw Self.noMessageSource }
    let word = kind == .magicLink ? "magic_link" : "login_code"
    let text = try await command.run(identifier: recipient, kind: word, otherThan: usedCode)
    let isLink = text.hasPrefix("https://") || text.hasPrefix("http://")
    return isLink ? learn(code: nil, link: text) : learn(code: text, link: nil)
  }

  private func learn(code: String?, link: String?) -> (code: String?, link: String?) {
    if let code { common.register(code, kind: .code) }
    if let link { common.register(link, kind: .link) }
    return (code, link)
  }

  // MARK: Rows

  /// How the exchanges of all devices differ from the OpenAPI document, once all of them were compared.
  func driftSummary(_ comparer: ExchangeComparer) async -> DriftSummary {
    for record in records { record.log.flush() }
    await comparer.finish()
    var summary = DriftSummary()
    for record in records { summary.merge(record.log.driftSummary) }
    return summary
  }

  /// Begins a check, whose calls get their own flow.
  func begin(_ id: String) -> Flow {
    flow = Flow(name: "check \(id)")
    for index in records.indices { records[index].seen = records[index].log.rows().next }
    return flow
  }

  /// The rows of the check's own calls on all devices, in each device's order.
  var rows: [NetworkRow] { recentRows.filter { $0.flowID == flow.id } }

  /// Every row since the check began, including the client's own flows, such as those of cues and launches.
  var recentRows: [NetworkRow] {
    records.flatMap { record in
      var filter = NetworkFilter()
      filter.after = record.seen
      return record.log.rows(filter: filter).events
    }
  }

  /// The promises that the clients kept or broke in rows since the check began.
  var promises: [ClientPromise] {
    records.flatMap { record -> [ClientPromise] in
      let rows = ExportSelection(of: record.log).rows
      guard let last = rows.last, last.row.seq > record.seen else { return [] }
      var explainer = Explainer()
      for case let exchange? in rows.map({ Exchange($0) }) { explainer.add(exchange) }
      return explainer.promises(RetryPromise()).filter { RowSequence(clamping: UInt64($0.rows.last ?? 0)) > record.seen }
    }
  }

  /// The call at which the check failed: the last failed one, else the last unfinished one, else the last.
  var failedCall: ReportedCall? {
    let rows = recentRows.filter { !["launch", "sign_out"].contains($0.flow) || $0.flowID == flow.id }
      .sorted { $0.startedAt.milliseconds < $1.startedAt.milliseconds }
    guard let row = rows.last(where: { $0.state == .failure }) ?? rows.last(where: { $0.state != .success }) ?? rows.last else {
      return nil
    }
    return ReportedCall(
      method: row.method, endpoint: row.endpoint, path: row.path, status: row.status, code: row.error, requestID: row.callID)
  }

  /// Masks every secret that a device or the check has learned.
  func masked(_ text: String) -> String {
    ([common] + records.map(\.secrets)).reduce(text) { text, secrets in
      Redactor(registry: secrets).redact(text: text, context: .authentication).text
    }
  }
}
