package import HTTPTypes
import Text

/// Serializes the head of a response (RFC 9112 §4).
package struct ResponseSerializer: Sendable {
  private struct DefaultField: Sendable {
    let name: HTTPField.Name
    let line: [UInt8]
  }

  private let defaults: [DefaultField]

  /// `fields` are added to every response that does not set them; throws if one is not safe to write.
  package init(defaults fields: HTTPFields = HTTPFields()) throws(ResponseError) {
    var list: [DefaultField] = []
    for field in fields {
      var line: [UInt8] = []
      try Self.append(field, to: &line)
      list.append(DefaultField(name: field.name, line: line))
    }
    defaults = list
  }

  /// Appends the head with its empty line; if it throws, `output` is unchanged.
  ///
  /// `date` is the value of `Date`.
  package func append(
    _ head: ResponseHead, framing: ResponseFraming, keepAlive: Bool, version: ProtocolVersion = .http11, date: [UInt8],
    to output: inout [UInt8]
  ) throws(ResponseError) {
    let code = head.status.code
    guard code >= 200, code <= 999 else { throw .invalidStatus(code) }
    let start = output.count
    do throws(ResponseError) {
      output.append(contentsOf: "HTTP/1.1 ".utf8)
      output.append(contentsOf: [UInt8(code / 100) + 48, UInt8(code / 10 % 10) + 48, UInt8(code % 10) + 48, 0x20])
      guard head.status.reasonPhrase.utf8.allSatisfy(ByteClass.isFieldValue) else { throw .unsafeField("reason") }
      output.append(contentsOf: head.status.reasonPhrase.utf8)
      output.append(contentsOf: "\r\nDate: ".utf8)
      output.append(contentsOf: date)
      output.append(contentsOf: "\r\n".utf8)
      for field in head.fields where !Self.isOwn(field.name) { try Self.append(field, to: &output) }
      for field in defaults where !head.fields.contains(field.name) { output.append(contentsOf: field.line) }
    } catch {
      output.removeLast(output.count - start)
      throw error
    }
    appendFraming(code, framing, &output)
    if !keepAlive {
      output.append(contentsOf: "Connection: close\r\n".utf8)
    } else if version == .http10 {
      output.append(contentsOf: "Connection: keep-alive\r\n".utf8)
    }
    output.append(contentsOf: "\r\n".utf8)
  }

  /// Whether a response with this status to this method has a body (RFC 9112 §6.3).
  package static func allowsBody(_ status: HTTPResponse.Status, to method: HTTPRequest.Method) -> Bool {
    method != .head && status.code != 204 && status.code != 304 && status.code >= 200
  }

  private func appendFraming(_ code: Int, _ framing: ResponseFraming, _ output: inout [UInt8]) {
    guard code != 204, code != 304 else { return }
    switch framing {
    case .length(let count):
      output.append(contentsOf: "Content-Length: ".utf8)
      Self.appendDecimal(count, to: &output)
      output.append(contentsOf: "\r\n".utf8)
    case .chunked: output.append(contentsOf: "Transfer-Encoding: chunked\r\n".utf8)
    case .untilClose: break
    }
  }

  private static func isOwn(_ name: HTTPField.Name) -> Bool {
    switch name.canonicalName {
    case "content-length", "transfer-encoding", "connection", "date", "keep-alive": true
    default: false
    }
  }

  private static func append(_ field: HTTPField, to output: inout [UInt8]) throws(ResponseError) {
    let name = field.name.rawName
    guard !name.isEmpty, name.utf8.allSatisfy(ASCII.isToken) else { throw .unsafeField(name) }
    let start = output.count
    output.append(contentsOf: name.utf8)
    output.append(contentsOf: ": ".utf8)
    let isSafe = field.withUnsafeBytesOfValue { value in
      guard value.allSatisfy(ByteClass.isFieldValue) else { return false }
      output.append(contentsOf: value)
      return true
    }
    guard isSafe else {
      output.removeLast(output.count - start)
      throw .unsafeField(name)
    }
    output.append(contentsOf: "\r\n".utf8)
  }

  private static func appendDecimal(_ value: Int, to output: inout [UInt8]) {
    var rest = max(value, 0)
    let start = output.count
    repeat {
      output.append(UInt8(rest % 10) + 48)
      rest /= 10
    } while rest > 0
    output[start...].reverse()
  }
}
