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
    let part = JSONPart(buffer: JSONBuffer(), keys: keys)
    try JSONValueEncoder(part: part).encode(value)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(part.buffer.bytes.count * 2)
    part.write(to: &bytes)
    return bytes
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
    do {
      return try JSONNodeDecoder(node: document.root, keys: keys).value(type)
    } catch let error as JSONError {
      throw error
    } catch {
      throw fault(error, in: document)
    }
  }

  /// What a type itself found wrong, as a place; its text is dropped, as it can quote the document.
  private static func fault(_ error: any Error, in document: JSONDocument) -> JSONError {
    let (reason, path): (JSONError.Reason, [any CodingKey]) =
      switch error as? DecodingError {
      case .keyNotFound(let key, let context): (.missingMember, context.codingPath + [key])
      case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
        (.unexpectedValue, context.codingPath)
      default: (.unexpectedValue, [])
      }
    var node = document.root
    for key in path {
      guard let next = node[key.stringValue] ?? node.element(key.stringValue) else { break }
      node = next
    }
    return JSONError(reason, at: node.span.lowerBound, path: path.map(\.stringValue).joined(separator: "."))
  }
}

extension JSONNode {
  /// An element by its index in text.
  fileprivate func element(_ index: String) -> JSONNode? {
    elements.enumerated().first { String($0.offset) == index }?.element
  }
}
