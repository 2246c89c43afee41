import CCurl
import Glibc
import Locking

/// The thread that owns a libcurl multi handle, and the inbox through which others reach it.
///
/// `@unchecked`: the one pointer shared between threads is given to `curl_multi_wakeup` alone, which libcurl allows from any thread,
/// and under a lock that also forbids it after the handle is gone.
final class CurlLoop: @unchecked Sendable {
  private enum Message {
    case start(TransferTicket)
    case cancel(TransferTicket)
  }

  private struct Inbox {
    var messages: [Message] = []
    var isStopping = false
    var isFinishing = true
    /// Nothing is taken any more.
    var isStopped = false
    /// Every connection is closed.
    var isClosed = false
    var onClosed: [@Sendable () -> Void] = []
  }

  private let inbox = Locked(Inbox())
  /// Whether the handle may be woken. Apart from the inbox, so that the thread does not wake into a lock that its waker still holds.
  private let canBeWoken = Locked(true)
  private let multi: UnsafeMutableRawPointer
  private let configuration: TransportConfiguration
  private let onPinReport: @Sendable ([String]) -> Void

  /// libcurl's process-wide start, thread-safe and once; its TLS library must be OpenSSL.
  private static let isUsable: Bool = {
    guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK, let library = understudy_tls_library() else { return false }
    return String(cString: library).hasPrefix("OpenSSL/")
  }()

  /// Starts the thread; throws `.tls` where libcurl has another TLS library, or no memory, descriptor or thread is left.
  init(
    configuration: TransportConfiguration, onPinReport: @escaping @Sendable ([String]) -> Void
  ) throws(TransportError) {
    guard Self.isUsable else { throw .tls("libcurl was not built on OpenSSL") }
    guard let multi = curl_multi_init() else { throw .tls("libcurl has no memory") }
    // Without a descriptor to wake it by, every call would wait until libcurl looks around by itself: for a minute.
    guard curl_multi_wakeup(multi) == CURLM_OK else {
      curl_multi_cleanup(multi)
      throw .tls("libcurl has no descriptor to be woken by")
    }
    self.multi = multi
    self.configuration = configuration
    self.onPinReport = onPinReport
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
      throw .tls("no thread for libcurl")
    }
    pthread_detach(identifier)
  }

  /// Begins an attempt; a stopping loop answers `.cancelled`.
  func start(_ ticket: TransferTicket) {
    let isTaken = inbox.withLock { inbox in
      guard !inbox.isStopping, !inbox.isStopped else { return false }
      inbox.messages.append(.start(ticket))
      return true
    }
    guard isTaken else { return ticket.finish(.failure(.cancelled)) }
    wake()
  }

  /// Lets go of an attempt that was answered.
  func cancel(_ ticket: TransferTicket) {
    inbox.withLock { inbox in
      guard !inbox.isStopped else { return }
      inbox.messages.append(.cancel(ticket))
    }
    wake()
  }

  /// Has the thread look into the inbox.
  private func wake() {
    canBeWoken.withLock { if $0 { curl_multi_wakeup(multi) } }
  }

  /// Ends the loop, after the attempts under way when `finishing`; calls `then` once the handle is closed.
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

  /// The thread's whole life.
  private func run() {
    Self.blockBrokenPipes()
    let transfers = CurlTransfers(multi: multi, configuration: configuration, onPinReport: onPinReport)
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

  /// Answers what is left, closes the handle and tells those who wait for it.
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

  /// libcurl leaves signals alone as told (`CURLOPT_NOSIGNAL`), so a write to a dead peer must not end the process by one.
  private static func blockBrokenPipes() {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }
}
