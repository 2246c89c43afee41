import Dispatch
import Glibc

/// One connection, whose calls block its own queue.
///
/// `@unchecked Sendable`: it owns libpq's handle, which only its queue touches.
final class PostgreSQLConnection: @unchecked Sendable {
  /// The states of libpq-fe.h that the program distinguishes.
  private enum Code {
    static let connected: Int32 = 0
    static let idle: Int32 = 0
    /// A script without a statement.
    static let empty: Int32 = 0
    static let done: Int32 = 1
    static let rows: Int32 = 2
    /// `PG_DIAG_SQLSTATE`.
    static let state = Int32(UInt8(ascii: "C"))
  }

  private let library: PostgreSQLLibrary
  private let handle: OpaquePointer
  private let queue = DispatchQueue(label: "postgresql")
  /// The first failure of the statements of an open transaction; touched on the queue.
  private(set) var failed = FailedStatement()
  /// The statements that the database has prepared for this connection; touched on the queue.
  private var statements = PreparedStatements()
  /// Waits for notices of the database; touched on the queue.
  private var notices: (any DispatchSourceRead)?
  private var onNotice: (@Sendable () -> Void)?
  /// The concurrent queue on which connections are opened.
  static let opening = DispatchQueue(label: "postgresql opening", attributes: .concurrent)

  private init(_ library: PostgreSQLLibrary, _ handle: OpaquePointer) { (self.library, self.handle) = (library, handle) }

  deinit { library.finish(handle) }

  /// Connects, and blocks for at most the time limit of each address of the host. Throws ``StorageError/unreachable(_:)``.
  static func open(
    _ address: PostgreSQLAddress, password: String?, library: PostgreSQLLibrary
  ) throws(StorageError) -> PostgreSQLConnection {
    // Both ends notice a cut connection within 5 s, so that the database releases this process's rows and locks.
    let settings = [
      "default_transaction_isolation=serializable", "statement_timeout=30s", "client_min_messages=warning",
      // A kept plan would still suit an empty table while the table fills.
      "plan_cache_mode=force_custom_plan",
      // `PostgreSQLParameter` reads texts in this form.
      "standard_conforming_strings=on",
      "tcp_keepalives_idle=2", "tcp_keepalives_interval=1", "tcp_keepalives_count=3", "tcp_user_timeout=5000",
      // A row is held as long as the work for it runs.
      "idle_in_transaction_session_timeout=0",
    ]
    var keywords = [
      "application_name": "understudy", "client_encoding": "UTF8", "tcp_user_timeout": "5000",
      // Encryption by Kerberos would replace TLS, regardless of sslmode.
      "gssencmode": "disable", "keepalives_idle": "2", "keepalives_interval": "1", "keepalives_count": "3",
      "options": settings.map { "-c \($0)" }.joined(separator: " "),
    ].merging(address.keywords) { $1 }
    // For each address, so that an unresponsive one leaves time for the next.
    keywords["connect_timeout"] = String(max(2, (address.connectSeconds + 1) / 2))
    if let password { keywords["password"] = password }
    let pairs = Array(keywords)
    let names = pairs.map { strdup($0.key) } + [nil]
    let values = pairs.map { strdup($0.value) } + [nil]
    defer { for text in names + values { free(text) } }
    guard let handle = library.connect(names.map { UnsafePointer($0) }, values.map { UnsafePointer($0) }, 0) else {
      throw .unreachable("\(address.shown): libpq is out of memory")
    }
    let connection = PostgreSQLConnection(library, handle)
    guard library.status(handle) == Code.connected else {
      throw .unreachable("\(address.shown): \(connection.message)")
    }
    return connection
  }

  /// Runs on the connection's queue.
  func perform<Value: Sendable>(_ body: @escaping @Sendable (PostgreSQLConnection) throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result { try body(self) }) }
    }
  }

  /// Calls `onNotice` after notices of the database, and `onLoss` once if the connection ends, both on the queue; called within `perform`.
  func receiveNotices(
    _ onNotice: @escaping @Sendable () -> Void, onLoss: @escaping @Sendable () -> Void
  ) throws(StorageError) {
    let socket = library.socket(handle)
    guard socket >= 0 else { throw .unreachable("the connection to the database was lost") }
    let source = DispatchSource.makeReadSource(fileDescriptor: socket, queue: queue)
    source.setEventHandler { [self] in
      // A statement may have read the notice meanwhile; a statement that found the connection ended has closed the socket.
      var milliseconds: Int32 = 0
      while !isConnected || Self.isReadable(socket, milliseconds: milliseconds) {
        guard library.consumeInput(handle) == 1, isConnected else {
          stopReceiving()
          return onLoss()
        }
        if tellNotices() { return }
        // Any other unrequested message is the server's last one. Wait for the end, because the source may not report it.
        milliseconds = 100
      }
    }
    self.onNotice = onNotice
    // The socket stays open while the source uses it.
    source.setCancelHandler { withExtendedLifetime(self) {} }
    notices = source
    source.activate()
  }

  /// Reports the notices that were read, including those that came with the response to a statement. Called on the queue.
  ///
  /// - Returns: Whether there were any.
  @discardableResult func tellNotices() -> Bool {
    var isAny = false
    while let notice = library.notice(handle) {
      library.freeMemory(notice)
      isAny = true
    }
    if isAny { onNotice?() }
    return isAny
  }

  /// Whether bytes or the end of a socket can be read within a time.
  private static func isReadable(_ socket: Int32, milliseconds: Int32) -> Bool {
    var waiting = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    return poll(&waiting, 1, milliseconds) > 0
  }

  /// Stops receiving notices; called on the queue.
  private func stopReceiving() {
    notices?.cancel()
    (notices, onNotice) = (nil, nil)
  }

  /// Stops receiving notices after the calls in progress.
  func endNotices() { queue.async { self.stopReceiving() } }

  /// Resets the failure of the previous transaction; called within `perform`.
  func forgetFailures() { failed = FailedStatement() }

  /// Whether it is connected and in no transaction, so that it can be used again.
  var isReusable: Bool { isConnected && library.transactionStatus(handle) == Code.idle }

  /// Whether the last statement found the connection open.
  var isConnected: Bool { library.status(handle) == Code.connected }

  /// libpq's last message in one line, without values of rows.
  private var message: String {
    guard let text = library.errorMessage(handle) else { return "no connection" }
    return String(cString: text).split(whereSeparator: \.isNewline).first.map(String.init) ?? "no connection"
  }

  /// Runs statements without arguments; throws ``StorageError``.
  func run(script: String) throws(StorageError) {
    let result = library.execute(handle, script)
    defer { library.clear(result) }
    try check(result)
  }

  /// Runs a statement with `?` for each argument; throws ``StorageError``.
  func run(_ sql: String, _ arguments: [StorageValue]) throws(StorageError) -> (changed: Int, rows: [StorageRow]) {
    try StorageValue.check(arguments)
    let parameters = arguments.map(PostgreSQLParameter.init)
    let name = try prepared(sql, types: parameters.map(\.type))
    let lengths = parameters.map { Int32($0.bytes?.count ?? 0) }
    // An empty array may have no address, which would mean NULL.
    let buffers = parameters.map { parameter in
      parameter.bytes.map { bytes in
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: max(bytes.count, 1), alignment: 1)
        buffer.copyBytes(from: bytes)
        return buffer
      }
    }
    defer { for buffer in buffers { buffer?.deallocate() } }
    let values = buffers.map { UnsafePointer($0?.baseAddress?.assumingMemoryBound(to: CChar.self)) }
    let count = Int32(parameters.count)
    let formats = parameters.map { _ in Int32(1) }
    let result =
      if let name {
        library.executePrepared(handle, name, count, values, lengths, formats, 1)
      } else {
        library.executeParameters(
          handle, PostgreSQLParameter.numbered(sql), count, parameters.map(\.type), values, lengths, formats, 1)
      }
    defer { library.clear(result) }
    if name != nil, let state = state(of: result), PreparedStatements.isStale(state) {
      statements.noteStale()
      throw .conflict
    }
    try check(result)
    let changed = library.changedRows(result).flatMap { Int(String(cString: $0)) } ?? 0
    return (library.resultStatus(result) == Code.rows ? 0 : changed, try rows(of: result))
  }

  /// The name of a statement that the database keeps prepared; nil for one that it cannot prepare.
  private func prepared(_ sql: String, types: [UInt32]) throws(StorageError) -> String? {
    guard PreparedStatements.canPrepare(sql) else { return nil }
    if let name = statements.name(of: sql, types) { return name }
    if statements.mustBeDropped {
      try run(script: "DEALLOCATE ALL")
      statements.noteDropped()
    }
    let name = "s\(statements.next)"
    let result = library.prepare(handle, name, PostgreSQLParameter.numbered(sql), Int32(types.count), types)
    defer { library.clear(result) }
    // The number of a failed name is not used again, because the database may have kept it.
    statements.next += 1
    try check(result)
    statements.keep(name, of: sql, types)
    return name
  }

  /// The SQLSTATE of a result that is an error; nil for any other.
  private func state(of result: OpaquePointer?) -> String? {
    library.errorField(result, Code.state).map { String(cString: $0) }
  }

  private func check(_ result: OpaquePointer?) throws(StorageError) {
    let status = library.resultStatus(result)
    guard status != Code.done, status != Code.rows, status != Code.empty else { return }
    let state = state(of: result) ?? ""
    guard isConnected else { throw .unreachable("the connection to the database was lost") }
    throw Self.error(state)
  }

  /// The error for an SQLSTATE (PostgreSQL's manual, appendix A).
  static func error(_ state: String) -> StorageError {
    switch state {
    case _ where state.hasPrefix("23"): .constraint
    case "40001", "40P01": .conflict
    case "55P03": .locked
    case "53100": .full
    // A message that the server did not understand does not mean a lost connection.
    case "08P01": .statement(state)
    case _ where state.hasPrefix("08") || state.hasPrefix("57P"): .unreachable("the connection to the database was lost")
    case "53300": .unreachable("the database has no room for another connection")
    case "": .unreachable("the database gave no answer")
    default: .statement(state)
    }
  }

  private func rows(of result: OpaquePointer?) throws(StorageError) -> [StorageRow] {
    let columns = 0..<library.columnCount(result)
    let names = columns.map { column in library.columnName(result, column).map { String(cString: $0) } ?? "" }
    var rows: [StorageRow] = []
    for row in 0..<library.rowCount(result) {
      var values: [StorageValue] = []
      for column in columns {
        guard library.isNull(result, row, column) == 0, let start = library.value(result, row, column) else {
          values.append(.null)
          continue
        }
        let bytes = UnsafeRawBufferPointer(start: start, count: Int(library.length(result, row, column)))
        values.append(try PostgreSQLParameter.value(Array(bytes), type: library.columnType(result, column)))
      }
      rows.append(StorageRow(names: names, values: values))
    }
    return rows
  }
}
