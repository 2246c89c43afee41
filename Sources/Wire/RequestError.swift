package import HTTPTypes

/// Why the parser rejected a request; each reason has one status and ends the connection.
package enum RequestError: Error, Equatable, Sendable {
  /// The request line is not `method SP target SP version` (RFC 9112 §3).
  case malformedRequestLine
  /// The target contains a byte that RFC 3986 forbids, or its form does not fit the method (RFC 9112 §3.2).
  case malformedTarget
  /// The request line exceeds the limit.
  case requestLineTooLong
  /// The major version is not 1.
  case unsupportedVersion
  /// The method requires a tunnel.
  case unsupportedMethod
  /// The head exceeds the limit of bytes or fields.
  case headTooLarge
  /// A line ends without CR, a field is folded, or a name or value contains a forbidden byte (RFC 9112 §2.2, §5).
  case malformedField
  /// `Host` is missing, repeated or not `uri-host [":" port]` (RFC 9112 §3.2).
  case invalidHost
  /// `Content-Length` is repeated or contains anything but digits (RFC 9112 §6.3).
  case invalidContentLength
  /// The announced or received body exceeds the limit, or the largest number that can be counted.
  case contentTooLarge
  /// Both `Content-Length` and `Transfer-Encoding` are present, or the latter in HTTP/1.0 (RFC 9112 §6.1).
  case conflictingFraming
  /// `Transfer-Encoding` does not end in one `chunked` (RFC 9112 §6.3).
  case invalidTransferCoding
  /// A transfer coding before `chunked` is not supported (RFC 9112 §6.1).
  case unsupportedTransferCoding
  /// `Expect` contains anything but `100-continue` (RFC 9110 §10.1.1).
  case unsupportedExpectation
  /// The size line, the end or an extension of a chunk violates RFC 9112 §7.1.
  case malformedChunk
  /// A trailer field is malformed or forbidden, or the section exceeds the limit.
  case malformedTrailer

  /// The status of the rejection.
  package var status: HTTPResponse.Status {
    switch self {
    case .requestLineTooLong: .uriTooLong
    case .headTooLarge: .requestHeaderFieldsTooLarge
    case .contentTooLarge: .contentTooLarge
    case .unsupportedExpectation: .expectationFailed
    case .unsupportedMethod, .unsupportedTransferCoding: .notImplemented
    case .unsupportedVersion: .httpVersionNotSupported
    case .malformedRequestLine, .malformedTarget, .malformedField, .invalidHost, .invalidContentLength, .conflictingFraming,
      .invalidTransferCoding, .malformedChunk, .malformedTrailer:
      .badRequest
    }
  }
}
