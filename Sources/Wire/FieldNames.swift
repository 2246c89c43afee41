package import HTTPTypes

/// Field names that HTTPTypes lacks, and the conversion from bytes to a name.
package enum FieldNames {
  /// `Host`.
  package static let host = HTTPField.Name("Host") ?? .authorization
  /// `Last-Event-ID` (HTML, server-sent events).
  package static let lastEventID = HTTPField.Name("Last-Event-ID") ?? .authorization

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
