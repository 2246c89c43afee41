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
    let shapes: [CheckWire.AnswerKey: AnswerShape]
  }

  let settings: CheckSettings
  let logger: Logger
  var cases = CheckCase.all

  /// After so many checks that took too long no other is made: a backend that hangs must not hold a build for as many limits.
  private static let lateLimit = 3

  /// Makes every check; `onResult` hears of each as it ends. Throws `StartFailure`: 69 where the backend cannot be reached.
  func run(onResult: @Sendable (CheckResult) -> Void = { _ in }) async throws(StartFailure) -> Outcome {
    let (startedAt, start) = (Date(), ContinuousClock.now)
    let backend = try await CheckTarget.open(settings, logger: logger)
    let subject = try CheckSubject(backend, settings, logger: logger)
    var results: [CheckResult] = []
    var late = 0
    for check in cases {
      let (result, isLate) = late < Self.lateLimit ? await run(check, on: subject) : (skipped(check), false)
      if isLate { late += 1 }
      if await subject.isUnreachable { break }
      results.append(result)
      onResult(result)
    }
    let isUnreachable = await subject.isUnreachable
    // The way first: what is under way over it ends at once then.
    await backend.close()
    await subject.stop()
    guard !isUnreachable else { throw .unavailable("--backend: \(backend.link.origin) cannot be reached") }
    return Outcome(
      report: CheckReport(
        backend: backend.link.origin, isEmbedded: backend.isEmbedded, startedAt: startedAt, duration: .now - start,
        results: results),
      shapes: backend.wire.shapes)
  }

  private func skipped(_ check: CheckCase) -> CheckResult {
    CheckResult(
      id: check.id, group: check.group, title: check.title,
      outcome: .skipped("\(Self.lateLimit) checks took longer than \(settings.timeout.components.seconds) s each"),
      duration: .zero,
      call: nil)
  }

  private func run(_ check: CheckCase, on subject: CheckSubject) async -> (CheckResult, isLate: Bool) {
    let flow = await subject.begin(check.id)
    let limit = settings.timeout + (await subject.pendingTurn)
    let start = ContinuousClock.now
    let (error, isLate) = await Self.error(within: limit) {
      try await Flow.$current.withValue(flow) { try await check.run(subject) }
    }
    let duration = ContinuousClock.now - start
    var (outcome, call) = (CheckOutcome.passed, FailedCall?.none)
    switch error {
    case nil: break
    case CheckStop.skipped(let reason)?: outcome = .skipped(await subject.masked(reason))
    case let error?:
      outcome = .failed(await subject.masked(CheckWords.words(error)))
      call = await subject.failedCall
    }
    let result = CheckResult(
      id: check.id, group: check.group, title: check.title, outcome: outcome, duration: duration, call: call)
    return (result, isLate)
  }

  /// What the body throws, nil where it ends well; one that takes longer is left behind, as not everything can be cancelled.
  private static func error(
    within limit: Duration, _ body: @escaping @Sendable () async throws -> Void
  ) async -> (error: (any Error)?, isLate: Bool) {
    let end = Promise<(error: (any Error)?, isLate: Bool)>()
    let work = Task {
      do {
        try await body()
        end.arrive((nil, false))
      } catch {
        end.arrive((error, false))
      }
    }
    let timer = Task {
      guard (try? await Task.sleep(for: limit)) != nil else { return }
      end.arrive((CheckStop.failed("it took longer than \(limit.components.seconds) s"), true))
    }
    let ending = await end.value
    timer.cancel()
    work.cancel()
    return ending
  }
}
