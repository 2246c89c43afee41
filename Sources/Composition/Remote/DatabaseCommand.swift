package import ArgumentParser
import Storage

/// `understudy database`: makes and checks the schema of a PostgreSQL database.
package struct DatabaseCommand: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "database", abstract: "Make or check the schema of a PostgreSQL database.",
    subcommands: [MigrateCommand.self, CheckSchemaCommand.self])
  package init() {}

  /// The schema of this version.
  static let migrations = FlowJobs.migrations
}

/// `understudy database migrate`: takes the steps that are missing; exits with 0, 69 if the database cannot be reached, and 78 if a newer
/// version has changed it.
package struct MigrateCommand: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "migrate", abstract: "Take the steps that the schema lacks. Several programs may do so at the same time.")
  @OptionGroup package var options: DatabaseOptions
  package init() {}

  package func run() async throws {
    do {
      let storage = try options.required(EnvironmentFlags())
      let taken: [String]
      do { taken = try await DatabaseCommand.migrations.migrate(storage) } catch { throw StartFailure.database(error) }
      await storage.close()
      print(taken.isEmpty ? "nothing to do" : taken.joined(separator: "\n"))
    } catch let failure as StartFailure {
      throw failure.reported()
    }
  }
}

/// `understudy database check`: exits with 0 if the schema is that of this version, 1 if steps are missing, 69 if the database cannot be
/// reached, and 78 if a newer version has changed it.
package struct CheckSchemaCommand: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Say whether the schema is that of this version, and change nothing.")
  @OptionGroup package var options: DatabaseOptions
  package init() {}

  package func run() async throws {
    let pending: [String]
    do {
      let storage = try options.required(EnvironmentFlags())
      do { pending = try await DatabaseCommand.migrations.pending(storage) } catch { throw StartFailure.database(error) }
      await storage.close()
    } catch let failure as StartFailure {
      throw failure.reported()
    }
    guard !pending.isEmpty else { return print("the schema is up to date") }
    print("missing, to be made by understudy database migrate:\n" + pending.joined(separator: "\n"))
    throw ExitCode(1)
  }
}
