import Locking
import Storage

/// A database that refuses to write to some tables for a while, as one on a disk that fails does.
final class RefusingStorage: StorageEngine {
  private struct Refusal {
    let error: StorageError
    let statements: [String]
  }

  private let engine: any StorageEngine
  private let refusal = Locked<Refusal?>(nil)

  init(_ engine: any StorageEngine) { self.engine = engine }

  var dialect: StorageDialect { engine.dialect }
  var schema: String? { engine.schema }

  /// Fails statements that begin with one of these; nil for none.
  func refuse(_ statements: [String], with error: StorageError?) {
    refusal.withLock { $0 = error.map { Refusal(error: $0, statements: statements) } }
  }

  func read<Value: Sendable>(_ body: @escaping @Sendable (any StorageTransaction) throws -> Value) async throws -> Value {
    try await engine.read(body)
  }

  func write<Value: Sendable>(_ body: @escaping @Sendable (any StorageTransaction) throws -> Value) async throws -> Value {
    try await engine.write { try body(self.transaction($0)) }
  }

  func exclusively<Value: Sendable>(
    _ body: @escaping @Sendable (any StorageTransaction) throws -> Value
  ) async throws -> Value { try await engine.exclusively { try body(self.transaction($0)) } }

  func readAndWait<Value: Sendable>(_ body: @escaping @Sendable (any StorageTransaction) throws -> Value) throws -> Value {
    try engine.readAndWait(body)
  }

  func writeAndWait<Value: Sendable>(_ body: @escaping @Sendable (any StorageTransaction) throws -> Value) throws -> Value {
    try engine.writeAndWait { try body(self.transaction($0)) }
  }

  func purge() async throws { try await engine.purge() }
  func close() async { await engine.close() }

  private func transaction(_ transaction: any StorageTransaction) -> any StorageTransaction {
    guard let refusal = refusal.withLock({ $0 }) else { return transaction }
    return RefusingTransaction(transaction: transaction, error: refusal.error, statements: refusal.statements)
  }
}

private struct RefusingTransaction: StorageTransaction {
  let transaction: any StorageTransaction
  let error: StorageError
  let statements: [String]

  func execute(_ sql: String, _ arguments: [StorageValue]) throws(StorageError) -> Int {
    try check(sql)
    return try transaction.execute(sql, arguments)
  }

  func rows(_ sql: String, _ arguments: [StorageValue]) throws(StorageError) -> [StorageRow] {
    try check(sql)
    return try transaction.rows(sql, arguments)
  }

  func each(_ sql: String, _ arguments: [StorageValue], _ body: (StorageRow) throws -> Void) throws {
    try check(sql)
    try transaction.each(sql, arguments, body)
  }

  func run(script: String) throws(StorageError) { try transaction.run(script: script) }

  private func check(_ sql: String) throws(StorageError) {
    if statements.contains(where: sql.hasPrefix) { throw error }
  }
}
