import Foundation
import Locking

/// A PostgreSQL of the tests, which ends with them.
package final class PostgreSQLServer: Sendable {
  /// Why no server is available.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  private static let started = Locked<Result<PostgreSQLServer, Failure>?>(nil)
  private let process: Process
  /// Its end ends the server.
  private let input: Pipe
  /// The address of a database to connect to, such as to create others.
  package let address: String
  private let count = Locked(0)

  /// The server of this process, started by the first caller; throws ``Failure``.
  package static func shared() throws -> PostgreSQLServer {
    try started.withLock { started in
      let result = started ?? Result { try PostgreSQLServer() }.mapError { ($0 as? Failure) ?? Failure(description: "\($0)") }
      started = result
      return result
    }.get()
  }

  private init() throws {
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
      .appendingPathComponent("Scripts/lib/postgresql")
    let process = Process()
    let input = Pipe()
    let output = Pipe()
    process.executableURL = script
    (process.standardInput, process.standardOutput) = (input, output)
    try process.run()
    var line = Data()
    while !line.contains(UInt8(ascii: "\n")), case let part = output.fileHandleForReading.availableData, !part.isEmpty {
      line += part
    }
    let text = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .newlines)
    guard text.hasPrefix("ready ") else { throw Failure(description: "PostgreSQL did not start") }
    self.process = process
    self.input = input
    address = String(text.dropFirst("ready ".count))
  }

  /// The address of a database of this name.
  package func address(of name: String) -> String {
    address.split(separator: "/postgres?", omittingEmptySubsequences: false).joined(separator: "/\(name)?")
  }

  /// A name for a new database.
  package func newName() -> String {
    let number = count.withLock { count in
      count += 1
      return count
    }
    return "test\(number)"
  }
}
