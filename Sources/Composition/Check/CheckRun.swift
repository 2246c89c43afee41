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

  /// Makes every check; `onResult` hears of each as it ends. Throws `StartFailure`: 69 where the backend cannot be reached.
  func run(onResult: @Sendable (CheckResult) -> Void = { _ in }) async throws(StartFailure) -> Outcome {
    let (startedAt, start) = (Date(), ContinuousClock.now)
    let backend = try await CheckedBackend.open(settings, logger: logger)
    let subject = try CheckSubject(backend, settings, logger: logger)
    var results: [CheckResult] = []
    for check in cases {
      let result = await run(check, on: subject)
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

  private func run(_ check: CheckCase, on subject: CheckSubject) async -> CheckResult {
    let flow = await subject.begin(check.id)
    let limit = settings.timeout + (await subject.pendingTurn)
    let start = ContinuousClock.now
    let error = await Self.error(within: limit) {
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
    return CheckResult(
      id: check.id, group: check.group, title: check.title, outcome: outcome, duration: duration, call: call)
  }

  /// What the body throws; nil where it ends well. One that takes longer is left behind, as not everything can be cancelled.
  private static func error(
    within limit: Duration, _ body: @escaping @Sendable () async throws -> Void
  ) async -> (any Error)? {
    let end = ArrivingValue<(any Error)?>()
    let work = Task {
      do {
        try await body()
        end.arrive(nil)
      } catch {
        end.arrive(error)
      }
    }
    let timer = Task {
      guard (try? await Task.sleep(for: limit)) != nil else { return }
      end.arrive(CheckStop.failed("it took longer than \(limit.components.seconds) s"))
    }
    let error = await end.value
    timer.cancel()
    work.cancel()
    return error
  }
}
