package import HTTPTypes
import Text

/// Creates a `RequestHead` from the offsets of a valid head.
enum HeadBuilder {
  /// Builds the head that starts at `base`.
  static func head(
    _ bytes: Span<UInt8>, base: Int, line: RequestLine, lines: [FieldLine], _ summary: HeadSummary
  ) throws(RequestError) -> RequestHead {
    var fields = HTTPFields()
    fields.reserveCapacity(lines.count)
    let authority = line.form == .absolute ? text(bytes, base, line.authority) : nil
    for field in lines {
      guard let name = FieldNames.name(bytes, base + field.name.lowerBound, base + field.name.upperBound) else {
        throw .malformedField
      }
      let start = base + field.value.lowerBound
      let end = base + field.value.upperBound
      let value = name == .host ? authority ?? text(bytes, base, field.value) : nil
      fields.append(value.map { HTTPField(name: name, value: $0) } ?? HTTPField(name: name, value: copy(bytes, start, end)))
    }
    guard let method = method(bytes, base, line.method) else { throw .malformedRequestLine }
    return RequestHead(
      method: method, target: target(bytes, base, line), version: line.version, fields: fields, framing: summary.framing,
      keepAlive: summary.keepAlive, expectsContinue: summary.expectsContinue)
  }

  /// Builds the part of a head that was parsed, starting at `base`; nil if the method is invalid.
  static func partialHead(_ bytes: Span<UInt8>, base: Int, line: RequestLine, lines: [FieldLine]) -> PartialHead? {
    guard let method = method(bytes, base, line.method) else { return nil }
    var fields = HTTPFields()
    for field in lines {
      guard let name = FieldNames.name(bytes, base + field.name.lowerBound, base + field.name.upperBound) else { continue }
      fields.append(HTTPField(name: name, value: text(bytes, base, field.value)))
    }
    return PartialHead(method: method, path: text(bytes, base, line.path), fields: fields)
  }

  /// Whether a trailer with this name could change the meaning of the message (RFC 9110 §6.5.1).
  static func isForbiddenInTrailers(_ bytes: Span<UInt8>, _ name: Range<Int>) -> Bool {
    func isNamed(_ text: StaticString) -> Bool {
      RequestLine.matches(bytes, name.lowerBound, name.upperBound, text, ignoringCase: true)
    }
    return isNamed("content-length") || isNamed("transfer-encoding") || isNamed("host") || isNamed("trailer")
      || isNamed("content-encoding") || isNamed("content-type") || isNamed("authorization") || isNamed("cookie")
  }

  private static func method(_ bytes: Span<UInt8>, _ base: Int, _ span: Range<Int>) -> HTTPRequest.Method? {
    let start = base + span.lowerBound
    let end = base + span.upperBound
    if RequestLine.matches(bytes, start, end, "GET") { return .get }
    if RequestLine.matches(bytes, start, end, "POST") { return .post }
    return HTTPRequest.Method(text(bytes, base, span))
  }

  private static func target(_ bytes: Span<UInt8>, _ base: Int, _ line: RequestLine) -> RequestTarget {
    let query = line.query.map { text(bytes, base, $0) }
    switch line.form {
    case .asterisk: return .asterisk
    case .origin: return .origin(path: text(bytes, base, line.path), query: query)
    case .absolute:
      return .absolute(
        scheme: text(bytes, base, line.scheme).lowercased(), authority: text(bytes, base, line.authority),
        path: line.path.isEmpty ? "/" : text(bytes, base, line.path), query: query)
    }
  }

  private static func text(_ bytes: Span<UInt8>, _ base: Int, _ span: Range<Int>) -> String {
    bytes.extracting((base + span.lowerBound)..<(base + span.upperBound)).withUnsafeBufferPointer {
      String(decoding: $0, as: UTF8.self)
    }
  }

  private static func copy(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> [UInt8] {
    bytes.extracting(start..<end).withUnsafeBufferPointer { Array($0) }
  }
}

extension HTTPField.Name {
  /// `Host`, which HTTPTypes lacks.
  package static let host = constant("Host")
  /// `Last-Event-ID` (HTML, server-sent events).
  package static let lastEventID = constant("Last-Event-ID")
  /// `Sec-Fetch-Site` (W3C Fetch Metadata).
  package static let secFetchSite = constant("Sec-Fetch-Site")

  /// The name that a literal contains; traps if it is invalid.
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
      for index in 0..<length { target[index] = ASCII.lowercased(bytes[start + index]) }
      return length
    }
    return HTTPField.Name(parsed: text)
  }
}
