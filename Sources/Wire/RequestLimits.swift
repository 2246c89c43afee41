/// Limits of the request parser.
package struct RequestLimits: Equatable, Sendable {
  /// Bytes of the request line, without its CRLF; more is 414.
  package var requestLine = 8192
  /// Bytes of the whole head; more is 431.
  package var head = 65_536
  /// Field lines of the head; more is 431.
  package var fields = 100
  /// Bytes of one chunk's size line with its extensions.
  package var chunkLine = 256
  /// Bytes of all chunk extensions of one body.
  package var chunkExtensions = 4096
  /// Bytes of the trailer section.
  package var trailers = 8192
  /// Field lines of the trailer section.
  package var trailerFields = 32

  package init() {}
}
