import CCurl

/// The attempts in progress on one multi handle; used on the loop's thread only.
final class CurlTransfers {
  private let multi: UnsafeMutableRawPointer
  private let configuration: TransportConfiguration
  private let verifier: ChainVerifier
  /// The TLS sessions of this policy, shared by its attempts only.
  private let sessions: UnsafeMutableRawPointer?
  private var transfers: [UnsafeMutableRawPointer: CurlTransfer] = [:]
  private var handles: [ObjectIdentifier: UnsafeMutableRawPointer] = [:]
  /// The earliest instant at which an idle timeout may pass.
  private var nextIdleCheck: ContinuousClock.Instant?

  /// The size of the connection pool. libcurl counts connections in use too: with more concurrent calls than this, each would
  /// close a connection that the next one then opens again, handshake included.
  private static let pooledConnections = 64

  /// Takes ownership of `multi`; `close()` closes it.
  init(
    multi: UnsafeMutableRawPointer, configuration: TransportConfiguration, onPinReport: @escaping @Sendable ([String]) -> Void,
    onCertificate: (@Sendable (ServedCertificate) -> Void)?
  ) {
    self.multi = multi
    self.configuration = configuration
    verifier = ChainVerifier(
      pins: configuration.pins, mode: configuration.pinMode, onReport: onPinReport, onCertificate: onCertificate)
    understudy_multi_set_long(multi, CURLMOPT_MAXCONNECTS, Self.pooledConnections)
    sessions = curl_share_init()
    if let sessions { understudy_share_tls_sessions(sessions) }
  }

  /// Whether no attempt is in progress.
  var isEmpty: Bool { transfers.isEmpty }

  /// Starts an attempt, or fails it if that is impossible.
  func start(_ ticket: TransferTicket) {
    guard !ticket.isDone else { return }
    guard ticket.deadline > .now else { return ticket.finish(.failure(.timedOut(.deadline))) }
    guard let transfer = CurlTransfer(ticket: ticket, configuration: configuration, verifier: verifier, sessions: sessions) else {
      return ticket.finish(.failure(.invalidURL))
    }
    guard curl_multi_add_handle(multi, transfer.easy) == CURLM_OK else {
      return ticket.finish(.failure(.connectionLost(mayHaveBeenProcessed: false)))
    }
    transfers[transfer.easy] = transfer
    handles[ObjectIdentifier(ticket)] = transfer.easy
  }

  /// Removes an attempt whose caller no longer waits.
  func abandon(_ ticket: TransferTicket) {
    if let easy = handles[ObjectIdentifier(ticket)] { remove(easy) }
  }

  /// Advances all attempts and finishes those that ended; false if libcurl cannot continue.
  func advance() -> Bool {
    var running: Int32 = 0
    guard curl_multi_perform(multi, &running) == CURLM_OK else { return false }
    collect()
    endIdleTransfers()
    return true
  }

  /// Sleeps until a socket is ready, a timeout is near or the loop is woken; false if libcurl cannot continue.
  func sleep() -> Bool { curl_multi_poll(multi, nil, 0, pause(), nil) == CURLM_OK }

  /// Fails every attempt with `.cancelled` and closes all handles and connections.
  func close() {
    for transfer in transfers.values { transfer.ticket.finish(.failure(.cancelled)) }
    for easy in Array(transfers.keys) { remove(easy) }
    curl_multi_cleanup(multi)
    // After the connections: closing one may still add a session.
    if let sessions { curl_share_cleanup(sessions) }
  }

  private func collect() {
    var left: Int32 = 0
    while let message = curl_multi_info_read(multi, &left) {
      guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
      let code = message.pointee.data.result
      if let transfer = transfers[easy] { transfer.ticket.finish(transfer.result(of: code)) }
      remove(easy)
    }
  }

  private func remove(_ easy: UnsafeMutableRawPointer) {
    guard let transfer = transfers.removeValue(forKey: easy) else { return }
    curl_multi_remove_handle(multi, easy)
    handles[ObjectIdentifier(transfer.ticket)] = nil
    verifier.forget(transfer)
  }

  /// Fails attempts without any transfer for their idle timeout.
  private func endIdleTransfers() {
    let now = ContinuousClock.now
    nextIdleCheck = nil
    for (easy, transfer) in transfers {
      guard let end = transfer.idleDeadline else { continue }
      if end <= now {
        transfer.ticket.finish(.failure(.timedOut(.idle)))
        remove(easy)
      } else {
        nextIdleCheck = min(nextIdleCheck ?? end, end)
      }
    }
  }

  /// The longest sleep in milliseconds; libcurl shortens it for its own timers.
  private func pause() -> Int32 {
    guard let nextIdleCheck else { return 60_000 }
    return Int32(clamping: min(60_000, max(0, (nextIdleCheck - .now).wholeMilliseconds)))
  }
}
