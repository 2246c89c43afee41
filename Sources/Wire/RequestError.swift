package import HTTPTypes

/// Why a request was refused while it was read; each reason has one status and ends the connection.
package enum RequestError: Error, Equatable, Sendable {
  /// The request line is not `method SP target SP version` (RFC 9112 §3).
  case malformedRequestLine
  /// The target has a byte outside RFC 3986 or the wrong form for its method (RFC 9112 §3.2).
  case malformedTarget
  /// The request line is over the limit.
  case requestLineTooLong
  /// The major version is not 1.
  case unsupportedVersion
  /// The method needs a tunnel.
  case unsupportedMethod
  /// The head has more bytes or fields than the limit.
  case headTooLarge
  /// A line end is bare, a field is folded, or a name or value has a byte that is not allowed (RFC 9112 §2.2, §5).
  case malformedField
  /// `Host` is missing, repeated or not `uri-host [":" port]` (RFC 9112 §3.2).
  case invalidHost
  /// `Content-Length` is repeated or not digits only (RFC 9112 §6.3).
  case invalidContentLength
  /// The announced or received body is over what can be counted or is allowed.
  case contentTooLarge
  /// `Content-Length` and `Transfer-Encoding` together, or the latter in HTTP/1.0 (RFC 9112 §6.1).
  case conflictingFraming
  /// `Transfer-Encoding` does not end in one `chunked` (RFC 9112 §6.3).
  case invalidTransferCoding
  /// A transfer coding before `chunked` is not known (RFC 9112 §6.1).
  case unsupportedTransferCoding
  /// `Expect` asks for anything but `100-continue` (RFC 9110 §10.1.1).
  case unsupportedExpectation
  /// A chunk's size line, end or extension breaks RFC 9112 §7.1.
  case malformedChunk
  /// A trailer field is malformed, forbidden, or the section is over the limit.
  case malformedTrailer

  /// The status that tells the sender.
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
