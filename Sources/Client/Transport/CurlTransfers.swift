import CCurl

/// The attempts under way on one multi handle; lives on the loop's thread only.
final class CurlTransfers {
  private let multi: UnsafeMutableRawPointer
  private let configuration: TransportConfiguration
  private let verifier: ChainVerifier
  /// TLS sessions of this policy, shared by its attempts and by nothing else.
  private let sessions: UnsafeMutableRawPointer?
  private var transfers: [UnsafeMutableRawPointer: CurlTransfer] = [:]
  private var handles: [ObjectIdentifier: UnsafeMutableRawPointer] = [:]
  /// The first instant at which an attempt's silence may end.
  private var nextIdleCheck: ContinuousClock.Instant?

  /// How many connections are kept. libcurl counts those in use too: beyond this many calls at a time, each would close one that
  /// the next call then makes anew, handshake included.
  private static let pooledConnections = 64

  /// Takes over `multi`; `close()` ends it.
  init(
    multi: UnsafeMutableRawPointer, configuration: TransportConfiguration, onPinReport: @escaping @Sendable ([String]) -> Void
  ) {
    self.multi = multi
    self.configuration = configuration
    verifier = ChainVerifier(pins: configuration.pins, mode: configuration.pinMode, onReport: onPinReport)
    understudy_multi_set_long(multi, CURLMOPT_MAXCONNECTS, Self.pooledConnections)
    sessions = curl_share_init()
    if let sessions { understudy_share_tls_sessions(sessions) }
  }

  /// Whether no attempt is under way.
  var isEmpty: Bool { transfers.isEmpty }

  /// Begins an attempt, or answers it where it cannot.
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

  /// Drops an attempt whose caller has gone.
  func abandon(_ ticket: TransferTicket) {
    if let easy = handles[ObjectIdentifier(ticket)] { remove(easy) }
  }

  /// Moves every attempt on and answers those that ended; false when libcurl cannot go on.
  func advance() -> Bool {
    var running: Int32 = 0
    guard curl_multi_perform(multi, &running) == CURLM_OK else { return false }
    collect()
    endIdleTransfers()
    return true
  }

  /// Sleeps until a socket moves, a limit of time is near or the loop is woken; false when libcurl cannot go on.
  func sleep() -> Bool { curl_multi_poll(multi, nil, 0, pause(), nil) == CURLM_OK }

  /// Answers every attempt with `.cancelled` and closes all handles, the multi handle too, and every connection with them.
  func close() {
    for transfer in transfers.values { transfer.ticket.finish(.failure(.cancelled)) }
    for easy in Array(transfers.keys) { remove(easy) }
    curl_multi_cleanup(multi)
    // After the connections: closing one may still hand in a session.
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

  /// Ends attempts on which nothing moved for their idle timeout.
  private func endIdleTransfers() {
    let now = ContinuousClock.now
    nextIdleCheck = nil
    for (easy, transfer) in transfers {
      guard let end = transfer.idleDeadline(now: now) else { continue }
      if end <= now {
        transfer.ticket.finish(.failure(.timedOut(.idle)))
        remove(easy)
      } else {
        nextIdleCheck = min(nextIdleCheck ?? end, end)
      }
    }
  }

  /// Milliseconds to sleep at most; libcurl knows its own timers and cuts it short.
  private func pause() -> Int32 {
    guard let nextIdleCheck else { return 60_000 }
    return Int32(clamping: min(60_000, max(0, (nextIdleCheck - .now).wholeMilliseconds)))
  }
}
