/// The properties of a complete head that need no strings, validated (RFC 9112 §3.2, §6, §9).
package struct HeadSummary: Equatable, Sendable {
  /// The methods that prepared responses exist for.
  package enum Method: Equatable, Sendable { case get, head, other }

  package let method: Method
  /// Whether the target is in origin form: a path, with or without a query.
  package let isOrigin: Bool
  package let version: ProtocolVersion
  /// The framing of the body.
  package let framing: RequestFraming
  /// Whether the client allows the connection to persist (RFC 9112 §9.3).
  package let keepAlive: Bool
  /// Whether the client waits for `100 Continue` before it sends the body.
  package let expectsContinue: Bool

  /// Validates the head that starts at `base`; throws if `Host`, the framing or `Expect` is invalid.
  init(_ bytes: Span<UInt8>, base: Int, line: RequestLine, lines: [FieldLine]) throws(RequestError) {
    var framingFields = FramingFields()
    for field in lines {
      try framingFields.read(
        bytes, name: (base + field.name.lowerBound)..<(base + field.name.upperBound),
        value: (base + field.value.lowerBound)..<(base + field.value.upperBound))
    }
    guard framingFields.hosts == 1 || (framingFields.hosts == 0 && line.version == .http10) else { throw .invalidHost }
    let isModern = line.version == .http11
    let start = base + line.method.lowerBound
    let end = base + line.method.upperBound
    method =
      RequestLine.matches(bytes, start, end, "GET") ? .get : RequestLine.matches(bytes, start, end, "HEAD") ? .head : .other
    isOrigin = line.form == .origin
    version = line.version
    framing = try framingFields.framing(line.version)
    keepAlive = isModern ? !framingFields.hasClose : framingFields.hasKeepAlive && !framingFields.hasClose
    expectsContinue = framingFields.expectsContinue && isModern
  }
}
