import Client
import Console
import Domain
import FoundationEssentials
import GRDB
import JSON
import Logging
import Observability
import Text
import Vault

/// A backend with the devices that it is checked by, and what one check leaves for the next.
///
/// The devices are the console's own, over a database in memory; nothing of them is kept.
actor CheckContext {
  let backend: CheckTarget
  /// Whether an account that was there before may be deleted.
  let allowsDeletion: Bool
  /// Whom to sign in; nil where nobody was named and none can be made up.
  let identifier: Identifier?

  /// What the backend said of itself; nil until it did.
  var config: AppConfig?
  /// Whether the first call reached nothing.
  var isUnreachable = false
  /// The device that asks for the code.
  var first: Device?
  /// The device that asks for the link, of the same account.
  var second: Device?
  /// What the first device was sent, until it is used.
  var code: String?
  /// What the second device was sent.
  var link: String?
  /// The last code that signed somebody in.
  var usedCode: String?
  /// Whether a message was asked for that can be read.
  var hasAskedForCode = false
  var hasAskedForLink = false
  /// The tokens of a session that the user ended, and the device that it was on.
  var ended: (tokens: StoredTokens, device: Device)?

  /// The flow of the check under way; the rows of its calls carry it.
  private(set) var flow = Flow(name: "check")
  private let registry: DeviceRegistry
  private let database: DatabaseQueue
  private let key = SealingKey.random()
  private let logger: Logger
  private let common = SecretRegistry(tagKey: SecureRandom.bytes(32))
  /// The logs and secrets of every device and client so far, with the last row of before the check.
  private var records: [(log: NetworkLog, secrets: SecretRegistry, seen: UInt64)] = []
  /// When the backend takes another request for a message.
  private var nextMessage: (seconds: Int, at: ContinuousClock.Instant)?
  private var lastMessage: [String: String] = [:]

  /// Makes devices for the backend; throws `StartFailure` where their database cannot be opened.
  init(_ backend: CheckTarget, _ settings: CheckSettings, logger: Logger) throws(StartFailure) {
    self.backend = backend
    self.logger = logger
    allowsDeletion = settings.allowsDeletion || backend.isEmbedded
    do {
      identifier = try settings.identifier ?? (backend.control == nil ? nil : Self.newIdentifier())
      database = try ConsoleDatabase.open(path: nil)
    } catch {
      throw .unavailable("the devices' database cannot be opened")
    }
    for secret in backend.secrets { common.register(secret, kind: .key) }
    registry = DeviceRegistry(
      parts: .init(
        database: database, key: key, tagKey: SecureRandom.bytes(32), backend: backend.link, transport: backend.network.transport,
        apiID: backend.apiID, apiSecret: backend.apiSecret, version: Version.text, time: .system, logger: logger))
  }

  /// Ends every device.
  func stop() async { await registry.stop() }

  // MARK: Devices

  /// A device that has never been used.
  func newDevice() async throws -> Device {
    let (browser, _) = try await registry.store.makeBrowser()
    guard let (record, _) = try await registry.store.makeDevice(browserID: browser.id, name: nil),
      let device = try await registry.device(record)
    else { throw CheckStop.failed("no device could be made") }
    records.append((device.log, device.secrets, 0))
    return device
  }

  /// The device after the app was killed and started again, once its session has settled.
  func relaunch(_ device: Device) async throws -> Device {
    guard let again = try await registry.relaunch(device) else { throw CheckStop.failed("the device is gone") }
    records.append((again.log, again.secrets, 0))
    for await state in await again.client.session.states() where state.phase != .refreshing { break }
    return again
  }

  /// Where the device keeps its tokens.
  func tokens(of device: Device) -> SealedTokenStore {
    SealedTokenStore(database: database, key: key, backendID: backend.link.id, deviceID: device.id)
  }

  /// A client without a device, as it is made to try one thing.
  func client(
    transport: Transport? = nil, apiSecret: String? = nil, deviceID: String = SecureRandom.uuid(),
    tokens: any TokenStore = MemoryTokenStore()
  ) -> ClientStack {
    let secrets = SecretRegistry(tagKey: SecureRandom.bytes(32))
    let log = NetworkLog(capacity: 200, bodyBytes: 1 << 20, registry: secrets) { _ in }
    records.append((log, secrets, 0))
    return ClientStack(
      configuration: ClientConfiguration(
        origin: backend.link.origin, backendID: backend.link.id, deviceID: deviceID, apiID: backend.apiID,
        apiSecret: apiSecret ?? backend.apiSecret, userAgent: "understudy/\(Version.text)"),
      transport: transport ?? backend.network.transport, tokens: tokens, log: log, secrets: secrets, time: .system, logger: logger
    )
  }

  /// An identifier that no backend has seen.
  static func newIdentifier() throws -> Identifier {
    try Identifier(normalizing: "check-\(Hex.encode(SecureRandom.bytes(6)))@example.com")
  }

  // MARK: Messages

  /// How long a check waits for its nextMessage to ask for a message at most, in seconds.
  static let longestMessageWait = 120

  /// How long the next check may wait for that nextMessage, beside the time that it may take.
  var messageWait: Duration {
    guard let nextMessage, backend.control == nil else { return .zero }
    return min(max(ContinuousClock.now.duration(to: nextMessage.at), .zero), .seconds(Self.longestMessageWait))
  }

  /// Notes that the next message may be asked for in so many seconds.
  func setNextMessage(inSeconds seconds: Int) {
    let seconds = min(max(seconds, 0), 86_400)
    nextMessage = (seconds, .now + .seconds(seconds))
  }

  /// Waits until another message may be asked for, exactly as long as was told; where the clock can be moved, moves it.
  func waitForNextMessage() async throws {
    guard let nextMessage, nextMessage.seconds > 0 else { return }
    if let control = backend.control {
      try await control.advance(nextMessage.seconds)
    } else {
      guard nextMessage.seconds <= Self.longestMessageWait else {
        throw CheckStop.skipped(
          "the backend asks for a wait of \(nextMessage.seconds) s, and \(Self.longestMessageWait) s is the most")
      }
      try await Task.sleep(until: nextMessage.at, clock: .continuous)
    }
    self.nextMessage = nil
  }

  /// Asks for a message once it may be asked for.
  @discardableResult
  func ask(
    _ message: RequestLogin.Message, by device: Device, for identifier: Identifier
  ) async throws -> LoginRequestOutcome {
    try await waitForNextMessage()
    let useCase = RequestLogin(gateway: device.client.auth, ledger: device.ledger.port, wall: Time.system.wall)
    let outcome = try await useCase(message, rawIdentifier: identifier.text, config: device.config)
    setNextMessage(inSeconds: outcome.cooldownSeconds)
    return outcome
  }

  /// What the identifier was sent last; throws `CheckStop`, `skipped` where there is no way to know.
  func message(
    to identifier: Identifier, kind: RequestLogin.Message
  ) async throws(CheckStop) -> (code: String?, link: String?) {
    if let control = backend.control {
      let messages = try await control.messages(identifier.text, lastMessage[identifier.text])
      guard let message = messages.last else { throw .failed("no message arrived within 10 s") }
      lastMessage[identifier.text] = message.id
      return learn(code: message.code, link: message.link)
    }
    guard let command = backend.command else { throw Self.noMessageSource }
    let word = kind == .magicLink ? "magic_link" : "login_code"
    let text = try await command.run(identifier: identifier.text, kind: word, otherThan: usedCode)
    let isLink = text.hasPrefix("https://") || text.hasPrefix("http://")
    return isLink ? learn(code: nil, link: text) : learn(code: text, link: nil)
  }

  private func learn(code: String?, link: String?) -> (code: String?, link: String?) {
    if let code { common.register(code, kind: .code) }
    if let link { common.register(link, kind: .link) }
    return (code, link)
  }

  // MARK: Rows

  /// Begins a check: its calls belong to a flow of their own.
  func begin(_ id: String) -> Flow {
    flow = Flow(name: "check \(id)")
    for index in records.indices { records[index].seen = records[index].log.rows().next }
    return flow
  }

  /// The rows of the check's own calls, over all devices, in each device's order.
  var rows: [NetworkRow] { recentRows.filter { $0.flowID == flow.id } }

  /// Every row since the check began, also of flows that the client has of its own: those of cues, and launches.
  var recentRows: [NetworkRow] {
    records.flatMap { record in
      var filter = NetworkFilter()
      filter.after = record.seen
      return record.log.rows(filter: filter).events
    }
  }

  /// The call at which the check failed: the last that went wrong, else the last that was not answered, else the last.
  var failedCall: FailedCall? {
    let rows = recentRows.filter { $0.flow != "launch" || $0.flowID == flow.id }
      .sorted { $0.startedAt.milliseconds < $1.startedAt.milliseconds }
    guard let row = rows.last(where: { $0.state == .failure }) ?? rows.last(where: { $0.state != .success }) ?? rows.last else {
      return nil
    }
    return FailedCall(
      method: row.method, endpoint: row.endpoint, path: row.path, status: row.status, code: row.error, requestID: row.callID)
  }

  /// Masks every secret that a device or the check has learned.
  func masked(_ text: String) -> String {
    ([common] + records.map(\.secrets)).reduce(text) { text, secrets in
      Redactor(registry: secrets).redact(text: text, context: .authentication).text
    }
  }
}
