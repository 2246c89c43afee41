import ArgumentParser
import Foundation
import Storage

/// The flags of a PostgreSQL database and its password.
struct DatabaseOptions: ParsableArguments {
  @Option(help: "PostgreSQL database, postgres://user@host:port/name; beyond this machine with TLS and verify-full.")
  var database: String?
  @Option(help: "File with the password of the database's user. (default: PGPASSFILE, as for every PostgreSQL program)")
  var databasePasswordFile: String?

  /// The database, not connected yet; nil if none was given.
  ///
  /// Throws `StartFailure`: 64 for an invalid address, 66 and 78 for the password's file, 69 if libpq is missing, 78 for a
  /// connection beyond this machine without TLS.
  func storage() throws(StartFailure) -> PostgreSQLStorage? {
    guard let database else { return nil }
    let password = try SecretFile.read(databasePasswordFile, flag: "--database-password-file")
    // libpq would connect there instead of the address's host.
    for name in ["PGHOSTADDR", "PGSERVICE", "PGSERVICEFILE"] where ProcessInfo.processInfo.environment[name] != nil {
      throw .configuration("--database: \(name) must not be set, since it names another host")
    }
    let address: PostgreSQLAddress
    do throws(PostgreSQLAddress.Failure) { address = try PostgreSQLAddress(database) } catch {
      switch error {
      case .malformed(let reason): throw .usage("--database: \(reason)")
      case .unprotected: throw .configuration("--database: beyond this machine, sslmode must be verify-full")
      }
    }
    do throws(StorageError) { return try PostgreSQLStorage(address, password: password) } catch {
      throw .unavailable("--database: \(error)")
    }
  }

  /// The database; throws like `storage`, and `StartFailure` (64) if none was given.
  func required() throws(StartFailure) -> PostgreSQLStorage {
    guard let storage = try storage() else { throw .usage("--database is required: postgres://user@host:port/name") }
    return storage
  }
}

extension StartFailure {
  /// A failure of the database (69), or of its schema (78).
  static func database(_ error: any Error) -> StartFailure {
    switch error {
    case StorageError.newerSchema: .configuration("--database: \(error)")
    case let error as StorageError: .unavailable("--database: \(error)")
    default: .unavailable("--database: it failed")
    }
  }
}
