/// Why a read or a write of a ``ByteStream`` ended; the stream can then only be closed.
package enum StreamError: Error, Equatable {
  /// The deadline passed.
  case timedOut
  /// The peer reset the connection, or ended a TLS connection without saying so.
  case reset
  /// This side has closed the stream.
  case closed
  /// The loop is stopping, or an idle read was interrupted because the server is.
  case stopping
  /// The task was cancelled.
  case cancelled
  /// The peer broke the TLS protocol.
  case tls
}
