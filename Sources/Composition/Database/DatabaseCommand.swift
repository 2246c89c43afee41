import ArgumentParser
import Backend
import Storage

/// `understudy database`: makes and checks the schema of a PostgreSQL database.
struct DatabaseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "database", abstract: "Make or check the schema of a PostgreSQL database.",
    subcommands: [MigrateCommand.self, CheckSchemaCommand.self])

  /// The migrations of this version, by schema.
  static let migrations: [(schema: String, steps: StorageMigrations)] = [
    (SharedDatabase.schema, SharedDatabase.migrations), (ReferenceBackend.schema, ReferenceBackend.sharedMigrations),
  ]

  /// Runs `body` for each schema, and prefixes its results with the schema's name; throws `StartFailure`.
  static func steps(
    _ storage: PostgreSQLStorage, _ body: (StorageMigrations, PostgreSQLStorage) async throws -> [String]
  ) async throws(StartFailure) -> [String] {
    var lines: [String] = []
    for (schema, steps) in migrations {
      do {
        lines += try await body(steps, storage.inSchema(schema)).map { "\(schema): \($0)" }
      } catch {
        throw .database(error)
      }
    }
    return lines
  }
}

/// `understudy database migrate`: applies the missing migrations; exits with 0, 69 if the database cannot be reached, and 78 if a newer
/// version has changed it.
struct MigrateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate", abstract: "Apply the missing migrations. Several programs may do so at the same time.")
  @OptionGroup var options: DatabaseOptions

  func run() async throws {
    let storage = try options.required()
    let taken = try await DatabaseCommand.steps(storage) { try await $0.migrate($1) }
    await storage.close()
    try ProgramOutput.write(taken.isEmpty ? "nothing to do\n" : taken.map { "\($0)\n" }.joined())
  }
}

/// `understudy database check`: exits with 0 if the schema is that of this version, 1 if steps are missing, 69 if the database
/// cannot be reached, and 78 if a newer version has changed it.
struct CheckSchemaCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Say whether the schema is that of this version, and change nothing.")
  @OptionGroup var options: DatabaseOptions

  func run() async throws {
    let storage = try options.required()
    let pending = try await DatabaseCommand.steps(storage) { try await $0.pending($1) }
    await storage.close()
    try ProgramOutput.write(
      pending.isEmpty
        ? "the schema is up to date\n"
        : "missing, to be made by understudy database migrate:\n" + pending.map { "\($0)\n" }.joined())
    if !pending.isEmpty { throw ExitCode(1) }
  }
}
