import FoundationEssentials

/// `Codable` over the strict scanner.
package enum JSONCoding {
  /// How the names of properties become the keys of members.
  package enum Keys: Sendable {
    /// As the type spells them, snake_case by `CodingKeys`.
    case asSpelled
    /// `userID` and `createdAt` stand as `user_id` and `created_at`; what is in lower case stays.
    case snakeCase
  }

  /// The JSON of a value: keys sorted, slashes as they are, dates as `Timestamp` writes them.
  ///
  /// Throws `EncodingError` for a number that is not finite.
  package static func encode(_ value: some Encodable, keys: Keys = .asSpelled) throws -> [UInt8] {
    let encoder = JSONEncoder()
    if keys == .snakeCase { encoder.keyEncodingStrategy = .convertToSnakeCase }
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .custom { date, encoder in try Timestamp(date).encode(to: encoder) }
    return Array(try encoder.encode(value))
  }

  /// The value in a strict document; throws the grammar's fault, or the place of a value that does not fit the type.
  package static func decode<T: Decodable>(
    _ type: T.Type, from bytes: [UInt8], keys: Keys = .asSpelled
  ) throws(JSONError) -> T {
    try decode(type, from: JSONDocument(parsing: bytes), keys: keys)
  }

  /// The value in a document that was read already; throws the place of a value that does not fit the type.
  package static func decode<T: Decodable>(
    _ type: T.Type, from document: JSONDocument, keys: Keys = .asSpelled
  ) throws(JSONError) -> T {
    let decoder = JSONDecoder()
    if keys == .snakeCase { decoder.keyDecodingStrategy = .convertFromSnakeCase }
    decoder.dateDecodingStrategy = .custom { decoder in try Timestamp(from: decoder).date }
    do {
      return try decoder.decode(type, from: Data(document.bytes))
    } catch {
      throw fault(error, in: document)
    }
  }

  /// A decoding error as a place; its own text is dropped, as it can quote the document.
  private static func fault(_ error: any Error, in document: JSONDocument) -> JSONError {
    switch error as? DecodingError {
    case .keyNotFound(let key, let context): fault(.missingMember, on: context.codingPath, then: key, in: document)
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
      fault(.unexpectedValue, on: context.codingPath, in: document)
    default: JSONError(.unexpectedValue, at: 0)
    }
  }

  private static func fault(
    _ reason: JSONError.Reason, on path: [any CodingKey], then missing: (any CodingKey)? = nil, in document: JSONDocument
  ) -> JSONError {
    var node = document.root
    for key in path {
      let elements = node.elements
      if let index = key.intValue, elements.indices.contains(index) {
        node = elements[index]
      } else if let member = node[key.stringValue] {
        node = member
      }
    }
    let names = (path + [missing].compactMap { $0 }).map { $0.intValue.map(String.init) ?? $0.stringValue }
    return JSONError(reason, at: node.span.lowerBound, path: names.joined(separator: "."))
  }
}
