import COpenSSL
import Glibc

/// Owns one `SSL` on a descriptor and turns OpenSSL's results into values.
///
/// OpenSSL keeps errors in a queue per thread, and a left one makes a later call of another connection look failed: the queue
/// is cleared before each call.
final class TLSSession {
  /// How one call ended.
  enum Outcome: Equatable {
    case done(Int)
    case wantsRead
    case wantsWrite
    /// The kernel had no memory: to be tried again after a moment.
    case wantsPause
    /// The peer has said that it sends no more.
    case ended
    case failed(StreamError)
  }

  private let ssl: OpaquePointer
  /// OpenSSL's callbacks use it as long as `ssl` lives.
  private let table: TLSCertificateTable
  /// Why the connection broke. OpenSSL must not be called after that (SSL_get_error(3)): it says again what it last waited for, for
  /// instance room to send the alert about this very error, without a system call, and whoever waits for that never rests.
  private var failure: StreamError?

  /// A server's side on a connected, non-blocking socket; nil without memory.
  init?(table: TLSCertificateTable, fd: Int32) {
    ERR_clear_error()
    guard let ssl = SSL_new(table.fallback.pointer) else { return nil }
    (self.ssl, self.table) = (ssl, table)
    guard table.attach(to: ssl), SSL_set_fd(ssl, fd) == 1 else { return nil }
    copenssl_retry_shortages(ssl)
    SSL_set_accept_state(ssl)
  }

  deinit { SSL_free(ssl) }

  /// Goes on with the handshake.
  func handshake() -> Outcome { attempt { SSL_do_handshake($0) == 1 ? 0 : nil } }

  /// Decrypts what has arrived into `buffer`.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
    attempt { ssl in
      var count = 0
      return SSL_read_ex(ssl, buffer.baseAddress, buffer.count, &count) == 1 ? count : nil
    }
  }

  /// Whether OpenSSL has taken bytes from the socket that it has not given out; no event tells of those.
  var hasBuffered: Bool { SSL_has_pending(ssl) == 1 }

  /// Encrypts and sends the beginning of `buffer`, which must not be empty; after a `wants…` the same bytes must come again.
  func write(_ buffer: UnsafeRawBufferPointer) -> Outcome {
    attempt { ssl in
      var count = 0
      return SSL_write_ex(ssl, buffer.baseAddress, buffer.count, &count) == 1 ? count : nil
    }
  }

  /// Says, as far as the socket takes it at once, that no more follows (RFC 8446 §6.1).
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

  /// A connection cut without a close_notify is told apart from a broken protocol.
  private static func error(_ reason: Int32, _ code: Int32) -> StreamError {
    if reason == SSL_ERROR_SYSCALL { return code == EPROTO ? .tls : .reset }
    return ERR_GET_REASON(ERR_peek_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING ? .reset : .tls
  }
}
