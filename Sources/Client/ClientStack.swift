package import Domain
import FoundationEssentials
package import Logging
package import Observability
import RPC
import Locking

/// The whole client of one device: its session, the typed API and the gateways that the use cases call.
package final class ClientStack: Sendable {
  package let session: SessionController
  package let api: APIClient
  package let auth: AuthGateway
  package let account: AccountGateway
  /// What the client thinks of its way to the backend; faults may take it away.
  package let connectivity: ConnectivityMonitor
  /// What is broken on purpose.
  package let faults: FaultInjector
  private let cache: HTTPCache

  /// How long a logout waits for the backend to hear of it.
  private static let logoutTimeout = EndpointTimeout(idle: .seconds(3), whole: .seconds(3))

  /// Makes the client of a device; nothing is read or sent before `session.bootstrap()` or a call.
  ///
  /// `random` gives numbers in 0 ..< 1 for the jitter of retries; without `disk` answers are cached in memory alone; `onAttempt`
  /// hears how each attempt ended, for metrics, `onState` of every state of the session, in order, and `onFault` of the rules of
  /// `faults` that acted, with how many are armed after that.
  package init(
    configuration: ClientConfiguration, transport: Transport, tokens: any TokenStore, log: NetworkLog, secrets: SecretRegistry,
    time: Time, logger: Logger, disk: DiskCache? = nil, faults plan: FaultPlan = FaultPlan(),
    random: @escaping @Sendable () -> Double = { .random(in: 0..<1) },
    onAttempt: @escaping @Sendable (AttemptReport) -> Void = { _ in },
    onState: @escaping @Sendable (SessionState) -> Void = { _ in },
    onFault: @escaping @Sendable (_ entries: [FaultEntry], _ armed: Int) -> Void = { _, _ in }
  ) {
    let loggers = ClientLoggers(base: logger)
    let connectivity = ConnectivityMonitor(time: time)
    let faults = FaultInjector(plan: plan, time: time, connectivity: connectivity, onHit: onFault)
    let clock = ServerClock(time: time)
    // What is kept and how long it holds is judged by the phone's own clock, however wrong a fault has put it.
    var own = time
    own.wall = { time.wall().addingTimeInterval(TimeInterval(faults.skewSeconds)) }
    if let secret = configuration.apiSecret, !secret.isEmpty { secrets.register(secret, kind: .key) }
    let attemptSender = AttemptSender(
      configuration: configuration, transport: transport,
      recorder: AttemptRecorder(log: log, origin: configuration.origin, onAttempt: onAttempt, logger: loggers.network),
      secrets: secrets, clock: clock,
      signer: RequestSigner(apiID: configuration.apiID, apiSecret: configuration.apiSecret, clock: clock),
      connectivity: connectivity, faults: faults, loggers: loggers, time: time)
    let cache = HTTPCache(configuration: configuration, disk: disk, time: own)
    let session = SessionController(
      store: FaultyTokenStore(store: tokens, faults: faults), time: own, logger: loggers.session,
      refreshCall: attemptSender.refreshCall, onChange: cache.sessionChanged,
      onState: onState)
    let api = APIClient(
      attemptSender: attemptSender, session: session, budget: SharedRetryBudget(), cache: cache, time: time, random: random)
    let features = BackendFeatures()
    self.session = session
    self.api = api
    self.connectivity = connectivity
    self.faults = faults
    self.cache = cache
    auth = .backend(api: api, secrets: secrets, logger: loggers.auth) { reason in
      loggers.auth.info("signing out", metadata: ["reason": "\(reason.rawValue)"])
      let ended = await session.logout(reason: reason)
      guard let ended, features.hasLogoutEndpoint else { return }
      await attemptSender.sendLogout(accessToken: ended.accessToken, timeout: Self.logoutTimeout)
    }
    account = .backend(api: api) { config in
      features.hasLogoutEndpoint = config.features.logoutEndpoint
      await session.setRefreshMargin(.seconds(config.refreshMarginSeconds))
    }
  }

  /// Refreshes the session as its user wishes it: now, and over the wire, whatever failed before.
  package func refresh() async -> RefreshOutcome {
    connectivity.allowProbe()
    return await session.refresh()
  }

  /// The bytes of answers that are cached in memory.
  package var cachedBytes: Int { cache.byteCount }
  /// The bytes of answers that are cached on disk.
  package func cachedBytesOnDisk() async -> Int { await cache.byteCountOnDisk() }

  /// Lets a refresh under way end, for 5 s at most; no token is taken or kept after that. The transport is its owner's to end.
  package func shutdown() async {
    await session.close()
    await cache.flush()
  }
}

/// What the backend's configuration says about how the client behaves.
final class BackendFeatures: Sendable {
  private let logoutEndpoint = Locked(false)

  /// Whether the backend can be told of a logout.
  var hasLogoutEndpoint: Bool {
    get { logoutEndpoint.withLock { $0 } }
    set { logoutEndpoint.withLock { $0 = newValue } }
  }
}
