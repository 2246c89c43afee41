package import ArgumentParser
import Foundation
import Logging
import Storage

/// `understudy worker`: runs the flows that `understudy check --remote` puts into a database, one after the other.
package struct WorkerCommand: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "worker", abstract: "Run the flows that understudy check --remote puts into a database, until SIGTERM.",
    discussion: """
      The flags about the backend are those of understudy check. Start as many workers as you like, on any machines. A flow \
      whose worker ends is run by another. SIGTERM ends a worker after its flow, a second one at once.
      """)

  @OptionGroup package var options: CheckOptions
  @OptionGroup package var database: DatabaseOptions
  @Option(help: "Name of this worker in reports. (default: the host's name and the process ID)") package var instance: String?
  package init() {}

  package func run() async throws {
    umask(0o077)
    do throws(StartFailure) {
      let environment = EnvironmentFlags()
      let settings = try CheckSettings(options, environment: environment, defaultLogLevel: .warning)
      guard (options.format ?? environment.text("format")) == nil, settings.reportPath == nil, !settings.comparesWithEmbedded,
        settings.openAPI == nil, !settings.allowsDrift
      else {
        throw .configuration(
          "--format, --report, --parity, --openapi and --allow-drift are those of understudy check, not of a worker")
      }
      let name = instance ?? environment.text("instance") ?? "\(ProcessInfo.processInfo.hostName)-\(getpid())"
      guard (1...100).contains(name.utf8.count), name.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
        throw .usage("--instance: a name has 1 to 100 characters of ASCII without spaces")
      }
      let level = settings.logLevel
      LoggingSystem.bootstrap { label in
        var handler = StreamLogHandler.standardError(label: label)
        handler.logLevel = level
        return handler
      }
      let logger = Logger(label: "understudy.worker")
      var flowLogger = logger
      // The checks themselves provoke what is worth a warning elsewhere.
      if (options.logLevel ?? environment.text("log-level")) == nil { flowLogger.logLevel = .critical }
      let worker = Worker(
        name: name, settings: settings, jobs: FlowJobs(storage: try database.required(environment)), logger: logger,
        flowLogger: flowLogger)
      try await worker.run()
    } catch {
      throw error.reported()
    }
  }
}

/// Takes flows and runs them.
struct Worker: Sendable {
  /// How long it waits when there is nothing to do, or the database cannot be reached.
  private static let pause = Duration.milliseconds(500)
  /// The longest pause between two tries to reach the backend.
  private static let longestPause = Duration.seconds(30)

  let name: String
  let settings: CheckSettings
  let jobs: FlowJobs
  let logger: Logger
  /// The log of the flows themselves.
  let flowLogger: Logger

  /// What became of a turn.
  private enum Turn {
    case ran, nothingToDo
    /// The flow could not begin, and is given back.
    case gaveBack(StartFailure)
  }

  /// Works until SIGTERM, SIGINT or SIGHUP. Throws `StartFailure` if the database cannot be reached at the start, or has another schema.
  func run() async throws(StartFailure) {
    let signals = await SignalStream.ofEnd()
    do { try await FlowJobs.migrations.migrate(jobs.storage) } catch { throw .database(error) }
    ProgramOutput.announce("understudy worker ready \(name)", logger: logger)
    let work = Task { await workUntilCancelled() }
    await signals.next()
    // The flow in progress ends first; another signal ends the process.
    work.cancel()
    let second = Task {
      guard await signals.next() != nil else { return }
      _exit(1)
    }
    await work.value
    second.cancel()
    await jobs.storage.close()
  }

  private func workUntilCancelled() async {
    var hasFailed = false
    while !Task.isCancelled {
      do {
        let turn = try await runNext()
        if hasFailed { logger.notice("the database can be reached again") }
        hasFailed = false
        switch turn {
        case .ran: break
        case .nothingToDo: try await Task.sleep(for: Self.pause)
        case .gaveBack(let failure): try await waitUntilFlowsCanBegin(failure)
        }
      } catch is CancellationError {
        return
      } catch {
        // Once, however long it lasts.
        if !hasFailed { logger.warning("the database failed", metadata: ["reason": "\(error)"]) }
        hasFailed = true
        try? await Task.sleep(for: Self.pause)
      }
    }
  }

  /// Runs the flow that has waited longest.
  private func runNext() async throws -> Turn {
    guard let held = try await jobs.take(worker: name) else { return .nothingToDo }
    do {
      switch await result(of: CheckCase.all) {
      case .success(let outcome):
        try await jobs.finish(held, worker: name, outcome)
        return .ran
      case .failure(let failure):
        try await jobs.giveBack(held)
        return .gaveBack(failure)
      }
    } catch {
      await jobs.release(held)
      throw error
    }
  }

  /// Waits, longer each time, until the first check can run; takes no flow meanwhile, since another worker may run it.
  private func waitUntilFlowsCanBegin(_ failure: StartFailure) async throws {
    logger.warning("flows are left to other workers until they can begin here", metadata: ["reason": "\(failure.message)"])
    var pause = Self.pause
    repeat {
      try await Task.sleep(for: pause)
      pause = min(pause * 2, Self.longestPause)
    } while (try? await result(of: Array(CheckCase.all.prefix(1))).get()) == nil
    logger.notice("flows can begin here again")
  }

  /// Runs checks to their end, even if the worker is asked to end meanwhile.
  private func result(of cases: [CheckCase]) async -> Result<FlowOutcome, StartFailure> {
    await Task.detached { [settings, flowLogger] in
      do throws(StartFailure) {
        return .success(FlowOutcome(try await CheckRun(settings: settings, logger: flowLogger, cases: cases).run().report))
      } catch {
        return .failure(error)
      }
    }.value
  }
}
