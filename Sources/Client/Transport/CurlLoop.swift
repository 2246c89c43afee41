import CCurl
import Glibc
import Locking

/// The thread that owns a libcurl multi handle, and the inbox for messages from other threads.
///
/// `@unchecked`: the only pointer shared between threads is passed to `curl_multi_wakeup` alone, which libcurl allows from any
/// thread, and under a lock that also forbids it after the handle is closed.
final class CurlLoop: @unchecked Sendable {
  private enum Message {
    case start(TransferTicket)
    case cancel(TransferTicket)
  }

  private struct Inbox {
    var messages: [Message] = []
    var isStopping = false
    var isFinishing = true
    /// No messages are accepted any more.
    var isStopped = false
    /// All connections are closed.
    var isClosed = false
    var onClosed: [@Sendable () -> Void] = []
  }

  private let inbox = Locked(Inbox())
  /// Whether the handle may be woken. A separate lock, so that the thread does not wake up into a lock that its waker still
  /// holds.
  private let canBeWoken = Locked(true)
  private let multi: UnsafeMutableRawPointer
  private let configuration: TransportConfiguration
  private let onPinReport: @Sendable ([String]) -> Void
  private let onCertificate: (@Sendable (ServedCertificate) -> Void)?

  /// Initializes libcurl once for the process; its TLS library must be OpenSSL.
  private static let isUsable: Bool = {
    guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK, let library = understudy_tls_library() else { return false }
    return String(cString: library).hasPrefix("OpenSSL/")
  }()

  /// Starts the thread; throws `.tls` if libcurl uses another TLS library, or if memory, descriptors or threads are exhausted.
  init(
    configuration: TransportConfiguration, onPinReport: @escaping @Sendable ([String]) -> Void,
    onCertificate: (@Sendable (ServedCertificate) -> Void)?
  ) throws(TransportError) {
    guard Self.isUsable else { throw .tls("libcurl is not built with OpenSSL") }
    guard let multi = curl_multi_init() else { throw .tls("libcurl is out of memory") }
    // Without a wakeup descriptor, every call would wait until libcurl polls by itself, for up to a minute.
    guard curl_multi_wakeup(multi) == CURLM_OK else {
      curl_multi_cleanup(multi)
      throw .tls("libcurl has no wakeup descriptor")
    }
    self.multi = multi
    self.configuration = configuration
    self.onPinReport = onPinReport
    self.onCertificate = onCertificate
    let thread = Unmanaged.passRetained(self)
    var identifier = pthread_t()
    let status = pthread_create(
      &identifier, nil,
      { context in
        if let context { Unmanaged<CurlLoop>.fromOpaque(context).takeRetainedValue().run() }
        return nil
      }, thread.toOpaque())
    guard status == 0 else {
      thread.release()
      curl_multi_cleanup(multi)
      throw .tls("cannot start a thread for libcurl")
    }
    pthread_detach(identifier)
  }

  /// Starts an attempt; a stopping loop fails it with `.cancelled`.
  func start(_ ticket: TransferTicket) {
    let isTaken = inbox.withLock { inbox in
      guard !inbox.isStopping, !inbox.isStopped else { return false }
      inbox.messages.append(.start(ticket))
      return true
    }
    guard isTaken else { return ticket.finish(.failure(.cancelled)) }
    wake()
  }

  /// Removes an attempt whose caller has its result.
  func cancel(_ ticket: TransferTicket) {
    inbox.withLock { inbox in
      guard !inbox.isStopped else { return }
      inbox.messages.append(.cancel(ticket))
    }
    wake()
  }

  /// Wakes the thread to read the inbox.
  private func wake() {
    canBeWoken.withLock { if $0 { curl_multi_wakeup(multi) } }
  }

  /// Stops the loop, after the attempts in progress if `finishing`; calls `then` once the handle is closed.
  func stop(finishing: Bool, then: (@Sendable () -> Void)?) {
    let isClosed = inbox.withLock { inbox in
      guard !inbox.isClosed else { return true }
      if let then { inbox.onClosed.append(then) }
      inbox.isStopping = true
      inbox.isFinishing = inbox.isFinishing && finishing
      return false
    }
    if isClosed { then?() } else { wake() }
  }

  /// The thread's main function.
  private func run() {
    Self.blockBrokenPipes()
    let transfers = CurlTransfers(
      multi: multi, configuration: configuration, onPinReport: onPinReport, onCertificate: onCertificate)
    while true {
      let (messages, mustEnd, mayEnd) = inbox.withLock { inbox in
        let taken = inbox.messages
        inbox.messages = []
        return (taken, inbox.isStopping && !inbox.isFinishing, inbox.isStopping)
      }
      for message in messages {
        switch message {
        case .start(let ticket): transfers.start(ticket)
        case .cancel(let ticket): transfers.abandon(ticket)
        }
      }
      guard transfers.advance(), !mustEnd, !(mayEnd && transfers.isEmpty), transfers.sleep() else { break }
    }
    finish(transfers)
  }

  /// Fails the remaining attempts, closes the handle and calls the stop handlers.
  private func finish(_ transfers: CurlTransfers) {
    let messages = inbox.withLock { inbox in
      inbox.isStopped = true
      defer { inbox.messages = [] }
      return inbox.messages
    }
    for case .start(let ticket) in messages { ticket.finish(.failure(.cancelled)) }
    canBeWoken.withLock { $0 = false }
    transfers.close()
    let waiters = inbox.withLock { inbox in
      inbox.isClosed = true
      defer { inbox.onClosed = [] }
      return inbox.onClosed
    }
    for waiter in waiters { waiter() }
  }

  /// libcurl does not handle signals (`CURLOPT_NOSIGNAL`), so a write to a dead peer must not raise SIGPIPE.
  private static func blockBrokenPipes() {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }
}
