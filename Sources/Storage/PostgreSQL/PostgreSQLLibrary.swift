import Glibc

/// The functions of libpq that the program uses, from the library that is on the machine.
///
/// It is loaded at the first use of a PostgreSQL database, so that a single console does not need it. The declarations are those of
/// libpq-fe.h (PostgreSQL 15, which later versions keep); loading checks that each function exists.
///
/// `@unchecked Sendable`: addresses of functions, which never change; libpq allows calls from any thread, one at a time for a connection.
final class PostgreSQLLibrary: @unchecked Sendable {
  typealias Connection = OpaquePointer
  typealias Result = OpaquePointer
  typealias Text = UnsafePointer<CChar>?

  let connect: @convention(c) (UnsafePointer<Text>?, UnsafePointer<Text>?, Int32) -> Connection?
  let status: @convention(c) (Connection?) -> Int32
  let transactionStatus: @convention(c) (Connection?) -> Int32
  let errorMessage: @convention(c) (Connection?) -> Text
  let finish: @convention(c) (Connection?) -> Void
  let execute: @convention(c) (Connection?, Text) -> Result?
  let executeParameters:
    @convention(c) (
      Connection?, Text, Int32, UnsafePointer<UInt32>?, UnsafePointer<Text>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?, Int32
    ) -> Result?
  let prepare: @convention(c) (Connection?, Text, Text, Int32, UnsafePointer<UInt32>?) -> Result?
  let executePrepared:
    @convention(c) (
      Connection?, Text, Int32, UnsafePointer<Text>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?, Int32
    ) -> Result?
  let resultStatus: @convention(c) (Result?) -> Int32
  let errorField: @convention(c) (Result?, Int32) -> Text
  let rowCount: @convention(c) (Result?) -> Int32
  let columnCount: @convention(c) (Result?) -> Int32
  let columnName: @convention(c) (Result?, Int32) -> Text
  let columnType: @convention(c) (Result?, Int32) -> UInt32
  let isNull: @convention(c) (Result?, Int32, Int32) -> Int32
  let value: @convention(c) (Result?, Int32, Int32) -> UnsafeMutablePointer<CChar>?
  let length: @convention(c) (Result?, Int32, Int32) -> Int32
  let changedRows: @convention(c) (Result?) -> UnsafeMutablePointer<CChar>?
  let clear: @convention(c) (Result?) -> Void
  let socket: @convention(c) (Connection?) -> Int32
  let consumeInput: @convention(c) (Connection?) -> Int32
  let notice: @convention(c) (Connection?) -> UnsafeMutableRawPointer?
  let freeMemory: @convention(c) (UnsafeMutableRawPointer?) -> Void

  /// The library, or nil if it is not installed.
  static let shared = try? PostgreSQLLibrary(name: "libpq.so.5")

  /// The Debian package that contains it.
  static let package = "libpq5"

  /// The library is not there, or lacks a function.
  private struct Missing: Error {}

  /// Loads the library of this name; throws if it is missing or lacks a function.
  init(name: String) throws {
    guard let handle = dlopen(name, RTLD_NOW | RTLD_LOCAL) else { throw Missing() }
    connect = try Self.function("PQconnectdbParams", handle)
    status = try Self.function("PQstatus", handle)
    transactionStatus = try Self.function("PQtransactionStatus", handle)
    errorMessage = try Self.function("PQerrorMessage", handle)
    finish = try Self.function("PQfinish", handle)
    execute = try Self.function("PQexec", handle)
    executeParameters = try Self.function("PQexecParams", handle)
    prepare = try Self.function("PQprepare", handle)
    executePrepared = try Self.function("PQexecPrepared", handle)
    resultStatus = try Self.function("PQresultStatus", handle)
    errorField = try Self.function("PQresultErrorField", handle)
    rowCount = try Self.function("PQntuples", handle)
    columnCount = try Self.function("PQnfields", handle)
    columnName = try Self.function("PQfname", handle)
    columnType = try Self.function("PQftype", handle)
    isNull = try Self.function("PQgetisnull", handle)
    value = try Self.function("PQgetvalue", handle)
    length = try Self.function("PQgetlength", handle)
    changedRows = try Self.function("PQcmdTuples", handle)
    clear = try Self.function("PQclear", handle)
    socket = try Self.function("PQsocket", handle)
    consumeInput = try Self.function("PQconsumeInput", handle)
    notice = try Self.function("PQnotifies", handle)
    freeMemory = try Self.function("PQfreemem", handle)
  }

  private static func function<Function>(_ name: String, _ handle: UnsafeMutableRawPointer) throws -> Function {
    guard let address = dlsym(handle, name) else { throw Missing() }
    return unsafeBitCast(address, to: Function.self)
  }
}
