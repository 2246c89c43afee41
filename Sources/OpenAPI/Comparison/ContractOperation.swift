/// The compared parts of a document's operation.
struct ContractOperation: Sendable {
  /// The `operationId`, or the method and the path template.
  let name: String
  /// The method in upper case.
  let method: String
  /// The path template.
  let path: String
  /// Numbers of parameters.
  let parameters: [Int32]
  /// The number of the request body; nil if the document has none.
  let requestBody: Int32?
  /// The numbers of the responses by status.
  let responses: [Int: Int32]
  /// The numbers of the responses by the first digit of the status, such as 2 for `2XX`.
  let responseClasses: [Int: Int32]
  /// The number of the `default` response.
  let defaultResponse: Int32?

  /// The number of the response that describes a status; nil if none does.
  func response(for status: Int) -> Int32? { responses[status] ?? responseClasses[status / 100] ?? defaultResponse }

  /// The statuses that the document has, such as `200, 404 or 5XX`.
  var statusWords: String {
    let names = responses.keys.sorted().map(String.init) + responseClasses.keys.sorted().map { "\($0)XX" }
    guard names.count <= 12 else { return "one of \(names.count) statuses" }
    guard let last = names.last else { return "no status" }
    return names.count == 1 ? "status \(last)" : "status \(names.dropLast().joined(separator: ", ")) or \(last)"
  }
}

/// A parameter, or a header of a response.
struct ContractParameter: Sendable {
  enum Place: String, Sendable {
    case query, header, path
  }

  /// How several values are written (OpenAPI 3.0.4 §4.7.12.2).
  enum Separation: Equatable, Sendable {
    /// The name is repeated for each value.
    case repeatedName
    case separator(UInt8)
  }

  let name: String
  let place: Place
  let isRequired: Bool
  /// Whether the value may be empty regardless of the schema.
  let allowsEmptyValue: Bool
  /// -1 if the value is not compared.
  let schema: SchemaID
  let separation: Separation
  /// Whether its members are query parameters with any names, so that its own name is not in the query.
  var spreadsMembers = false

  /// A parameter that another document describes, so that it can have any name.
  static let external = ContractParameter(
    name: "", place: .query, isRequired: false, allowsEmptyValue: true, schema: -1, separation: .repeatedName,
    spreadsMembers: true)
}

/// A request or response body: the media types with the schemas of those that are JSON.
struct ContractBody: Sendable {
  let isRequired: Bool
  /// Empty if no body is compared.
  let content: [(type: MediaType, schema: SchemaID)]

  /// A body that another document describes.
  static let external = ContractBody(isRequired: false, content: [])

  /// The media types, such as `application/json or text/plain`.
  var words: String {
    content.count <= 4 ? content.map(\.type.essence).joined(separator: " or ") : "one of \(content.count) media types"
  }

  /// The entry that describes a media type: the exact one, else a range such as `text/*`; nil if there is none.
  func entry(for type: MediaType) -> (type: MediaType, schema: SchemaID)? {
    content.first { $0.type.essence == type.essence } ?? content.first { $0.type.isRange && $0.type.covers(type) }
  }
}

/// A response of an operation.
struct ContractResponse: Sendable {
  /// A document's description of a response's body.
  enum Body: Sendable {
    /// None: the document has no `content` for it, or the response is in another document.
    case unspecified
    /// There is no body: its `content` is empty.
    case none
    case described(ContractBody)
  }

  let headers: [ContractParameter]
  let body: Body

  /// A response that another document describes.
  static let external = ContractResponse(headers: [], body: .unspecified)
}
