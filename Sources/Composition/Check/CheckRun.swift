import Client
import Console
import Domain
import Explain
import FoundationEssentials
import Logging
import Observability
import Redaction

/// Runs the checks of one backend in sequence.
struct CheckRun: Sendable {
  private let settings: CheckSettings
  private let logger: Logger
  var cases: [CheckCase]
  /// Decides when a check has taken too long.
  var time = Time.system

  /// A run of the checks of the settings' part.
  init(settings: CheckSettings, logger: Logger) {
    self.settings = settings
    self.logger = logger
    let all = settings.shard?.cases ?? CheckCase.all
    cases = settings.remote?.file == nil ? all.filter { $0.scope != .file } : all
  }

  /// The checks of other parts on which those of this part build; they run first and are not reported.
  private var ground: [CheckCase] {
    guard settings.shard != nil else { return [] }
    let own = Set(cases.map(\.id))
    return CheckCase.all.prefix { !own.contains($0.id) }.filter(\.isGround)
  }

  /// The run stops after this many timeouts, so that a hanging backend does not delay a build by the timeout of every check.
  private static let timeoutLimit = 3

  /// Runs every check; `onResult` is called with each result. Throws `StartFailure`: 69 if the backend or the OpenAPI
  /// document cannot be reached, 66 for an invalid document.
  func run(onResult: @Sendable (CheckResult) -> Void = { _ in }) async throws(StartFailure) -> CheckReport {
    let startedAt = Date()
    let start = ContinuousClock.now
    let backend = try await CheckTarget.open(settings, logger: logger)
    let document: CheckDocument?
    let context: CheckContext
    do throws(StartFailure) {
      document = try await CheckDocument.open(settings.openAPI, for: backend, logger: logger)
      context = try await CheckContext(backend, settings, logger: logger, drift: document?.detector)
    } catch {
      await backend.close()
      throw error
    }
    let slow = "\(Self.timeoutLimit) checks took longer than \(settings.timeout.components.seconds) s each"
    var results: [CheckResult] = []
    var timeouts = 0
    for check in ground {
      _ = await run(check, on: context)
      if await context.isUnreachable { break }
    }
    for check in cases {
      if await context.isUnreachable { break }
      let (result, timedOut) =
        timeouts < Self.timeoutLimit ? await run(check, on: context) : (skipped(check, because: slow), false)
      if timedOut { timeouts += 1 }
      if await context.isUnreachable { break }
      results.append(result)
      onResult(result)
    }
    let isUnreachable = await context.isUnreachable
    // The network first, so that calls in progress end at once.
    await backend.close()
    await context.stop()
    guard !isUnreachable else { throw .unavailable("--backend: \(backend.link.origin) cannot be reached") }
    var report = CheckReport(
      backend: backend.link.origin, isEmbedded: backend.isEmbedded, startedAt: startedAt, duration: .now - start,
      results: results, shard: settings.shard)
    if let document {
      let comparer = document.detector.comparer
      report.drift = DriftReport(
        document.file, await context.driftSummary(comparer), comparer.counts, isAllowed: settings.allowDrift)
    }
    return report
  }

  private func skipped(_ check: CheckCase, because reason: String) -> CheckResult {
    CheckResult(
      id: check.id, group: check.group, title: check.title, outcome: .skipped(reason), duration: .zero, call: nil)
  }

  private func run(_ check: CheckCase, on context: CheckContext) async -> (CheckResult, timedOut: Bool) {
    if let file = context.backend.link.file?.content.definition, let reason = check.reasonToSkip(file) {
      return (skipped(check, because: reason), false)
    }
    let flow = await context.begin(check.id)
    let limit = settings.timeout + (await context.messageWait)
    let start = ContinuousClock.now
    let (error, timedOut) = await error(within: limit) {
      try await Flow.$current.withValue(flow) { try await check.run(context) }
    }
    let duration = ContinuousClock.now - start
    var outcome = CheckOutcome.passed
    var call = ReportedCall?.none
    let promises = await context.promises
    switch error {
    case nil: break
    case CheckStop.skipped(let reason)?: outcome = .skipped(await context.masked(reason))
    case let error?:
      outcome = .failed(await context.masked(ErrorText.describe(error)))
      call = await context.failedCall
    }
    if outcome.word != "failed", let broken = promises.first(where: { !$0.kept }) {
      outcome = .failed(await context.masked(broken.failure))
    }
    let result = CheckResult(
      id: check.id, group: check.group, title: check.title, outcome: outcome, duration: duration, call: call,
      promises: promises)
    return (result, timedOut)
  }

  /// Returns the error of the body, nil on success; abandons a body that takes longer, because not every call can be canceled.
  private func error(
    within limit: Duration, _ body: @escaping @Sendable () async throws -> Void
  ) async -> (error: (any Error)?, timedOut: Bool) {
    let end = Promise<(error: (any Error)?, timedOut: Bool)>()
    let work = Task {
      do {
        try await body()
        end.fulfill((nil, false))
      } catch {
        end.fulfill((error, false))
      }
    }
    let timer = Task {
      guard (try? await time.sleep(time.monotonic() + limit)) != nil else { return }
      end.fulfill((CheckStop.failed("the check took longer than \(limit.components.seconds) s"), true))
    }
    let ending = await end.value
    timer.cancel()
    work.cancel()
    return ending
  }
}

/// The OpenAPI document of a run, and the comparison of the run's exchanges with it.
struct CheckDocument: Sendable {
  let file: OpenAPIFile
  let detector: DriftDetector

  /// Reads the document of the settings; nil without one. Throws `StartFailure`: 69 if a URL cannot be fetched, 66 if what it
  /// returned is no OpenAPI document.
  static func open(_ source: OpenAPISource?, for backend: CheckTarget, logger: Logger) async throws(StartFailure)
    -> CheckDocument?
  {
    switch source {
    case nil: return nil
    case .file(let file): return CheckDocument(file)
    case .url(let url):
      let content: [UInt8]
      let client = ToolClient(
        backend: backend.link, transport: backend.network.transport, signingKey: backend.signingKey,
        rules: .all, logger: logger)
      do throws(OpenAPIFetch.Failure) {
        content = try await OpenAPIFetch.content(of: url, backend: backend.link.origin, by: client, like: backend.configuration)
      } catch {
        throw .unavailable("--openapi: \(url.name) cannot be fetched: \(error.text)")
      }
      return CheckDocument(try OpenAPIFile(path: url.name, name: url.name, bytes: content))
    }
  }

  private init(_ file: OpenAPIFile) {
    self.file = file
    // A report has to be complete, and a run is short.
    detector = DriftDetector(source: file.name, comparer: ExchangeComparer(rowLimit: 100_000, byteLimit: 256 << 20))
    detector.start(file.contract)
  }
}
