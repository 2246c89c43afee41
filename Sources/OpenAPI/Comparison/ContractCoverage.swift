/// Which operations and responses of a document some exchanges have used.
package struct ContractCoverage: Sendable {
  /// An operation of the document.
  package struct Operation: Hashable, Codable, Sendable {
    package let method: String
    /// The path template, without that of a server.
    package let path: String
    /// The number of exchanges.
    package fileprivate(set) var rows = 0
    package fileprivate(set) var responses: [Response]
  }

  /// A response that the document describes.
  package struct Response: Hashable, Codable, Sendable {
    /// The status as the document has it, such as `200`, `4XX` or `default`.
    package let status: String
    /// The number of exchanges.
    package fileprivate(set) var rows = 0
  }

  /// In the order of the document.
  package private(set) var operations: [Operation]
  private let tables: ContractTables

  package init(_ contract: APIContract) {
    tables = contract.tables
    operations = tables.operations.map { operation in
      Operation(
        method: operation.method, path: operation.path, responses: operation.responseNames.map { Response(status: $0) })
    }
  }

  /// Counts an exchange.
  /// - Returns: The path template of its operation; nil if the document does not have the operation.
  package mutating func add(_ exchange: ObservedExchange) -> String? {
    guard let number = tables.operation(of: exchange) else { return nil }
    operations[number].rows += 1
    if let name = exchange.status.flatMap(tables.operations[number].responseName),
      let place = operations[number].responses.firstIndex(where: { $0.status == name })
    {
      operations[number].responses[place].rows += 1
    }
    return operations[number].path
  }

  /// The number of operations that were used.
  package var usedOperations: Int { operations.count { $0.rows > 0 } }
  /// The number of responses that the document describes.
  package var responseCount: Int { operations.reduce(0) { $0 + $1.responses.count } }
  /// The number of responses that were seen.
  package var usedResponses: Int { operations.reduce(0) { $0 + $1.responses.count { $0.rows > 0 } } }
}

extension ContractTables {
  /// The number of the operation that an exchange used; nil if the document does not have it.
  func operation(of exchange: ObservedExchange) -> Int? {
    paths.match(exchange.path, method: exchange.method).flatMap { operation(at: $0.path, method: exchange.method) }
  }

  /// The number of the operation of a path; HEAD is handled like GET, without the body (RFC 9110 §9.3.2).
  func operation(at path: Int, method: String) -> Int? {
    guard let operations = paths[path].operations else { return nil }
    return (operations[method] ?? (method == "HEAD" ? operations["GET"] : nil)).map(Int.init)
  }
}

extension ContractOperation {
  /// The statuses of the responses as the document has them.
  fileprivate var responseNames: [String] {
    responses.keys.sorted().map(String.init) + responseClasses.keys.sorted().map { "\($0)XX" }
      + (defaultResponse == nil ? [] : ["default"])
  }

  /// The name of the response that describes a status; nil if none does.
  fileprivate func responseName(for status: Int) -> String? {
    if responses[status] != nil { return String(status) }
    if responseClasses[status / 100] != nil { return "\(status / 100)XX" }
    return defaultResponse == nil ? nil : "default"
  }
}
