import BackendFile
package import Domain
import FoundationEssentials
package import Logging
package import Observability
package import Redaction
import RPC
import Locking

/// One device's client: its session, the typed API and the gateways that the use cases call.
package final class ClientStack: Sendable {
  package let session: SessionController
  package let api: APIClient
  package let auth: AuthGateway
  package let account: AccountGateway
  /// Whether the backend is reachable.
  package let connectivity: ConnectivityMonitor
  /// The device's fault rules.
  package let faults: FaultInjector
  let backendFile: ActiveBackendFile?
  private let origin: String
  private let cache: HTTPCache

  /// The time that a logout waits for the backend.
  private static let logoutTimeout = EndpointTimeout(idle: .seconds(3), whole: .seconds(3))

  /// Creates a device's client; nothing is read or sent before `session.bootstrap()` or a call.
  ///
  /// `backoff` has the pauses of attempts, refreshes and edits; `random` returns numbers in 0 ..< 1 for their jitter. Without `disk`,
  /// responses are cached in memory only; without `signIns`, an unfinished sign-in ends with the process.
  /// `onAttempt` is called as each attempt ends, for metrics; `onState` for every state of the session, in order; `onFault`
  /// with the rules of `faults` that applied and the plan afterwards.
  package init(
    configuration: ClientConfiguration, transport: Transport, tokens: any TokenStore, log: NetworkLog, secrets: SecretRegistry,
    time: Time, logger: Logger, disk: DiskCache? = nil, signIns: (any SignInStore)? = nil, faults plan: FaultPlan = FaultPlan(),
    backoff: Backoff = .standard, random: @escaping @Sendable () -> Double = { .random(in: 0..<1) },
    onAttempt: @escaping @Sendable (AttemptReport) -> Void = { _ in },
    onState: @escaping @Sendable (SessionState) -> Void = { _ in },
    onFault: @escaping @Sendable (_ entries: [FaultEntry], _ plan: FaultPlan) -> Void = { _, _ in }
  ) {
    let loggers = ClientLoggers(base: logger)
    let connectivity = ConnectivityMonitor(time: time)
    let faults = FaultInjector(plan: plan, time: time, connectivity: connectivity, onHit: onFault)
    let clock = ServerClock(time: time)
    // Tokens and cache entries expire by the device's own clock, including the skew of a fault rule.
    var own = time
    own.wall = { time.wall().addingTimeInterval(TimeInterval(faults.skewSeconds)) }
    if let secret = configuration.apiSecret, !secret.isEmpty { secrets.register(secret, kind: .key) }
    let attemptSender = AttemptSender(
      configuration: configuration, transport: transport,
      recorder: AttemptRecorder(log: log, origin: configuration.origin, onAttempt: onAttempt, logger: loggers.network),
      secrets: secrets, clock: clock,
      signer: RequestSigner(
        apiID: configuration.apiID, apiSecret: configuration.apiSecret, clock: clock),
      connectivity: connectivity, faults: faults, signIn: SignInValues(store: signIns), loggers: loggers, time: time)
    let features = BackendFeatures()
    let cache = HTTPCache(configuration: configuration, disk: disk, time: own)
    let session = SessionController(
      store: FaultyTokenStore(store: tokens, faults: faults), time: own, logger: loggers.session,
      refreshCall: attemptSender.refreshCall, canRefresh: { configuration.canRefresh }, isShared: configuration.isShared,
      isLaunch: configuration.isLaunch,
      backoff: backoff, random: random, onChange: cache.sessionChanged, onState: onState)
    let api = APIClient(
      attemptSender: attemptSender, session: session, budget: SharedRetryBudget(), cache: cache, time: time, backoff: backoff,
      random: random, features: features)
    self.session = session
    self.api = api
    self.connectivity = connectivity
    self.faults = faults
    backendFile = configuration.backendFile
    origin = configuration.origin
    self.cache = cache
    auth = .backend(api: api, secrets: secrets, logger: loggers.auth) { reason in
      loggers.auth.info("signing out", metadata: ["reason": "\(reason.rawValue)"])
      await attemptSender.signIn.clear()
      let ended = await session.logout(reason: reason)
      guard let ended, configuration.backendFile?.content.offer.has(.logout) ?? features.current.logoutEndpoint else { return }
      await attemptSender.sendLogout(ended, timeout: Self.logoutTimeout)
    }
    account = .backend(api: api) { config in
      features.change { $0 = config.features }
      await session.setRefreshMargin(.seconds(config.refreshMarginSeconds))
    }
  }

  /// The user actions that the backend offers; changes only if its file does.
  package var offer: BackendOffer { backendFile?.content.offer ?? .contract }

  /// The paths of the calls that only the session may make.
  package var sessionPaths: SessionPaths { backendFile?.content.sessionPaths ?? .contract }

  /// Whether a row's call, by its endpoint and its address, is reserved for the session, or belongs to another host.
  package func isReserved(endpoint: String, path: String, host: String?) -> Bool {
    if sessionPaths.contains(path) { return true }
    guard backendFile != nil else { return false }
    let isElsewhere = host.map { !origin.hasSuffix("://\($0)") } ?? false
    return isElsewhere || CallName(rawValue: endpoint)?.isAuthentication == true
  }

  /// Why the backend's file is invalid, if an earlier state is in use; nil if it is valid.
  package var backendFileProblem: String? { backendFile?.problem }

  /// Refreshes the session at the user's request: now, and over the network even after recent failures.
  package func refresh() async -> RefreshOutcome {
    connectivity.allowProbe()
    return await session.refresh()
  }

  /// The pauses between the attempts of a call.
  package var backoff: Backoff { api.backoff }
  /// The size of the responses cached in memory, in bytes.
  package var cachedBytes: Int { cache.byteCount }
  /// The size of the responses cached on disk, in bytes.
  package func cachedBytesOnDisk() async -> Int { await cache.byteCountOnDisk() }

  /// Waits for a refresh in progress, by default at most 5 s, then closes session and cache. The caller shuts the transport down.
  package func shutdown(refreshTimeout: Duration = .seconds(5)) async {
    await session.close(refreshTimeout: refreshTimeout)
    await api.attemptSender.signIn.close()
    await cache.flush()
  }
}

/// The backend's feature flags in the last configuration, for the client's own actions.
package final class BackendFeatures: Sendable {
  private let features = Locked(AppConfig().features)

  package var current: AppConfig.Features { features.withLock { $0 } }

  package func change(_ body: @Sendable (inout AppConfig.Features) -> Void) { features.withLock { body(&$0) } }
}
