import COpenSSL
import Glibc

/// Owns the `SSL` of one descriptor and converts OpenSSL's results into values.
///
/// OpenSSL keeps errors in a queue for each thread, and a leftover makes a later call of another connection appear to fail; so
/// the queue is cleared before each call.
final class TLSSession {
  /// The outcome of one call.
  enum Outcome: Equatable {
    case done(Int)
    case wantsRead
    case wantsWrite
    /// The kernel had no memory; try again after a pause.
    case wantsPause
    /// The peer closed its sending side; the result of reads and handshakes only.
    case ended
    case failed(StreamError)
  }

  private let ssl: OpaquePointer
  /// Must live as long as `ssl`, because OpenSSL's callbacks use it.
  private let table: TLSCertificateTable
  /// Why the connection failed. OpenSSL must not be called after that (SSL_get_error(3)): it would report the last wait again,
  /// such as space to send the alert, without a system call, and a caller that waits for it would spin.
  private var failure: StreamError?

  /// The server side of a connected, non-blocking socket; nil if memory is lacking.
  init?(table: TLSCertificateTable, fd: Int32) {
    ERR_clear_error()
    guard let ssl = SSL_new(table.fallback.pointer) else { return nil }
    self.ssl = ssl
    self.table = table
    guard table.attach(to: ssl), SSL_set_fd(ssl, fd) == 1 else { return nil }
    copenssl_retry_shortages(ssl)
    SSL_set_accept_state(ssl)
  }

  deinit { SSL_free(ssl) }

  /// Continues the handshake.
  func handshake() -> Outcome { attempt { SSL_do_handshake($0) == 1 ? 0 : nil } }

  /// Decrypts received bytes into `buffer`.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
    attempt { ssl in
      var count = 0
      return SSL_read_ex(ssl, buffer.baseAddress, buffer.count, &count) == 1 ? count : nil
    }
  }

  /// Whether OpenSSL has buffered bytes from the socket, for which no event will arrive.
  var hasBuffered: Bool { SSL_has_pending(ssl) == 1 }

  /// Encrypts and sends the beginning of `buffer`, which must not be empty. After a `wants…` outcome the same bytes must be
  /// passed again.
  func write(_ buffer: UnsafeRawBufferPointer) -> Outcome {
    let outcome = attempt { ssl in
      var count = 0
      return SSL_write_ex(ssl, buffer.baseAddress, buffer.count, &count) == 1 ? count : nil
    }
    guard outcome == .ended else { return outcome }
    // A peer that sent close_notify may still read, so writes continue. If a write fails because the peer disconnected, OpenSSL
    // reports the close_notify instead of the error.
    failure = .reset
    return .failed(.reset)
  }

  /// Sends a close_notify alert if the socket takes it at once (RFC 8446 §6.1).
  func sendCloseNotify() {
    guard failure == nil, SSL_is_init_finished(ssl) == 1 else { return }
    ERR_clear_error()
    _ = SSL_shutdown(ssl)
    ERR_clear_error()
  }

  private func attempt(_ call: (OpaquePointer) -> Int?) -> Outcome {
    if let failure { return .failed(failure) }
    ERR_clear_error()
    errno = 0
    if let count = call(ssl) { return .done(count) }
    let code = errno
    let isShort = MemoryShortage.matches(code)
    let reason = SSL_get_error(ssl, 0)
    switch reason {
    case SSL_ERROR_WANT_READ: return isShort ? .wantsPause : .wantsRead
    case SSL_ERROR_WANT_WRITE: return isShort ? .wantsPause : .wantsWrite
    case SSL_ERROR_ZERO_RETURN: return .ended
    default: break
    }
    let error = Self.error(reason, code)
    failure = error
    ERR_clear_error()
    return .failed(error)
  }

  /// Distinguishes a connection closed without close_notify from a protocol error.
  private static func error(_ reason: Int32, _ code: Int32) -> StreamError {
    if reason == SSL_ERROR_SYSCALL { return code == EPROTO ? .tls : .reset }
    return ERR_GET_REASON(ERR_peek_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING ? .reset : .tls
  }
}
