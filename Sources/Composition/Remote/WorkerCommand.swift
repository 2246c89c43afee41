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
      let settings = try CheckSettings(options, environment: environment)
      guard options.format == nil, options.report == nil, !settings.comparesWithEmbedded, settings.openAPI == nil else {
        throw .configuration("--format, --report, --parity and --openapi are those of understudy check, not of a worker")
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
      let worker = Worker(
        name: name, settings: settings, jobs: FlowJobs(storage: try database.required(environment)),
        logger: Logger(label: "understudy.worker"))
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

  let name: String
  let settings: CheckSettings
  let jobs: FlowJobs
  let logger: Logger

  /// Works until SIGTERM or SIGINT. Throws `StartFailure` if the database cannot be reached at the start, or has another schema.
  func run() async throws(StartFailure) {
    let signals = await SignalStream.catching(SIGTERM, SIGINT)
    do { try await FlowJobs.migrations.migrate(jobs.storage) } catch { throw .database(error) }
    ProgramOutput.announce("understudy worker ready \(name)", logger: logger)
    let work = Task {
      while !Task.isCancelled {
        let hasRun: Bool
        do { hasRun = try await runNext() } catch {
          logger.warning("the database failed", metadata: ["reason": "\(error)"])
          hasRun = false
        }
        if !hasRun { try? await Task.sleep(for: Self.pause) }
      }
    }
    await signals.first()
    // The flow in progress ends first; another signal ends the process.
    work.cancel()
    let second = Task {
      await signals.first()
      guard !Task.isCancelled else { return }
      _exit(1)
    }
    await work.value
    second.cancel()
    await jobs.storage.close()
  }

  /// Runs the flow that has waited longest; returns whether there was one.
  private func runNext() async throws -> Bool {
    guard let held = try await jobs.take(worker: name) else { return false }
    // Not cancelled with the worker: a flow that has begun is finished.
    let outcome = await Task.detached { () -> FlowOutcome in await self.outcome() }.value
    do { try await jobs.finish(held, worker: name, outcome) } catch {
      await jobs.release(held)
      throw error
    }
    return true
  }

  private func outcome() async -> FlowOutcome {
    do throws(StartFailure) {
      return FlowOutcome(try await CheckRun(settings: settings, logger: logger).run().report)
    } catch {
      return FlowOutcome(failure: error.message)
    }
  }
}
