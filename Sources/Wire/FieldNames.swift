package import HTTPTypes

extension HTTPField.Name {
  /// `Host`, which HTTPTypes lacks.
  package static let host = constant("Host")
  /// `Last-Event-ID` (HTML, server-sent events).
  package static let lastEventID = constant("Last-Event-ID")

  /// The name that a literal states; traps if it is none.
  package static func constant(_ name: StaticString) -> HTTPField.Name {
    guard let name = HTTPField.Name(name.description) else { preconditionFailure("\(name) is no field name") }
    return name
  }
}

/// Field names in the bytes of a request.
enum FieldNames {
  /// The name in lower case; nil if a byte is not a token character.
  static func name(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> HTTPField.Name? {
    let length = end - start
    guard length <= 64 else {
      return HTTPField.Name(String(decoding: (start..<end).map { bytes[$0] }, as: UTF8.self))
    }
    let text = String(unsafeUninitializedCapacity: length) { target in
      for index in 0..<length { target[index] = ByteClass.lowercased(bytes[start + index]) }
      return length
    }
    return HTTPField.Name(parsed: text)
  }
}
