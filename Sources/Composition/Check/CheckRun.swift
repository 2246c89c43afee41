import Client
import Console
import Domain
import FoundationEssentials
import Logging

/// Makes the checks of one backend, one after the other.
struct CheckRun: Sendable {
  /// What the checks came to, and what the backend's answers look like.
  struct Outcome: Sendable {
    let report: CheckReport
    let shapes: [CheckNetwork.ResponseKey: ResponseShape]
  }

  let settings: CheckSettings
  let logger: Logger
  var cases = CheckCase.all

  /// After so many checks that took too long no other is made: a backend that hangs must not hold a build for as many limits.
  private static let timeoutLimit = 3

  /// Makes every check; `onResult` hears of each as it ends. Throws `StartFailure`: 69 where the backend cannot be reached.
  func run(onResult: @Sendable (CheckResult) -> Void = { _ in }) async throws(StartFailure) -> Outcome {
    let (startedAt, start) = (Date(), ContinuousClock.now)
    let backend = try await CheckTarget.open(settings, logger: logger)
    let context = try CheckContext(backend, settings, logger: logger)
    var results: [CheckResult] = []
    var timeouts = 0
    for check in cases {
      let (result, timedOut) = timeouts < Self.timeoutLimit ? await run(check, on: context) : (skipped(check), false)
      if timedOut { timeouts += 1 }
      if await context.isUnreachable { break }
      results.append(result)
      onResult(result)
    }
    let isUnreachable = await context.isUnreachable
    // The way first: what is under way over it ends at once then.
    await backend.close()
    await context.stop()
    guard !isUnreachable else { throw .unavailable("--backend: \(backend.link.origin) cannot be reached") }
    return Outcome(
      report: CheckReport(
        backend: backend.link.origin, isEmbedded: backend.isEmbedded, startedAt: startedAt, duration: .now - start,
        results: results),
      shapes: backend.network.shapes)
  }

  private func skipped(_ check: CheckCase) -> CheckResult {
    CheckResult(
      id: check.id, group: check.group, title: check.title,
      outcome: .skipped("\(Self.timeoutLimit) checks took longer than \(settings.timeout.components.seconds) s each"),
      duration: .zero,
      call: nil)
  }

  private func run(_ check: CheckCase, on context: CheckContext) async -> (CheckResult, timedOut: Bool) {
    let flow = await context.begin(check.id)
    let limit = settings.timeout + (await context.messageWait)
    let start = ContinuousClock.now
    let (error, timedOut) = await Self.error(within: limit) {
      try await Flow.$current.withValue(flow) { try await check.run(context) }
    }
    let duration = ContinuousClock.now - start
    var (outcome, call) = (CheckOutcome.passed, FailedCall?.none)
    switch error {
    case nil: break
    case CheckStop.skipped(let reason)?: outcome = .skipped(await context.masked(reason))
    case let error?:
      outcome = .failed(await context.masked(ErrorText.describe(error)))
      call = await context.failedCall
    }
    let result = CheckResult(
      id: check.id, group: check.group, title: check.title, outcome: outcome, duration: duration, call: call)
    return (result, timedOut)
  }

  /// What the body throws, nil where it ends well; one that takes longer is left behind, as not everything can be cancelled.
  private static func error(
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
      guard (try? await Task.sleep(for: limit)) != nil else { return }
      end.fulfill((CheckStop.failed("it took longer than \(limit.components.seconds) s"), true))
    }
    let ending = await end.value
    timer.cancel()
    work.cancel()
    return ending
  }
}
