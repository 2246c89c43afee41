import CCurl
import HTTPTypes
import Observability

/// One attempt on the loop's thread: libcurl's easy handle and the response so far.
final class CurlTransfer {
  /// libcurl's handle, closed by `deinit`; it must be removed from its multi handle before.
  let easy: UnsafeMutableRawPointer
  /// The part shared with the caller.
  let ticket: TransferTicket
  /// The TLS context of the last connection made for this attempt; compared, never dereferenced.
  private(set) var tlsContext: OpaquePointer?
  /// The pins of a trusted chain without a pinned key.
  var presentedPins: [String]?

  private let verifier: ChainVerifier
  private let responseLimit: Int
  private var headerList: UnsafeMutablePointer<curl_slist>?
  private let errorBuffer: UnsafeMutablePointer<CChar>
  private var body: [UInt8] = []
  private var headerBytes = 0
  private var headerLines = 0
  private var isBodyTooLarge = false
  /// How often libcurl was about to send it.
  private var sends = 0
  private var activity = TransferActivity()
  private var phases = TransferPhases()

  /// Creates an attempt with all options set; nil if libcurl rejects one.
  init?(
    ticket: TransferTicket, configuration: TransportConfiguration, verifier: ChainVerifier, sessions: UnsafeMutableRawPointer?
  ) {
    guard let easy = curl_easy_init() else { return nil }
    self.easy = easy
    self.ticket = ticket
    self.verifier = verifier
    responseLimit = min(ticket.request.responseLimit ?? .max, configuration.responseLimit)
    errorBuffer = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorBuffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    for line in ticket.request.headerLines { headerList = curl_slist_append(headerList, line) ?? headerList }
    var options = CurlOptions(easy: easy)
    options.setConnection(configuration, sessions: sessions)
    options.setRequest(ticket.request, headers: headerList)
    options.setLimits(
      deadline: ticket.deadline, isReplayable: ticket.request.isReplayable, responseLimit: responseLimit,
      configuration: configuration)
    options.set(CURLOPT_ERRORBUFFER, pointer: UnsafeMutableRawPointer(errorBuffer))
    options.setCallbacks(context: Unmanaged.passUnretained(self).toOpaque())
    guard options.areAllSet else { return nil }
  }

  deinit {
    curl_easy_cleanup(easy)
    curl_slist_free_all(headerList)
    errorBuffer.deallocate()
  }

  /// Called when libcurl is about to send the request. Returns false to abort a non-replayable request that was already sent on a
  /// broken connection: libcurl resends any method if a reused connection ends without a response.
  func willSend() -> Bool {
    guard sends == 0 || ticket.request.isReplayable else { return false }
    sends += 1
    let now = ContinuousClock.now
    activity.begin(at: now)
    phases.begin(at: now, hasBody: ticket.request.body?.isEmpty == false)
    return true
  }

  /// Called when `count` bytes of the body have been handed to the system.
  func didSend(_ count: Int) {
    activity.noteSent(count, at: .now)
    if phases.sent == nil, count >= ticket.request.body?.count ?? 0 { phases.sent = .now }
  }

  /// Called with a new connection's TLS context.
  func prepare(_ context: OpaquePointer) {
    verifier.forget(self)
    tlsContext = context
    verifier.install(in: context, for: self)
  }

  /// Receives bytes of the body as they were sent; returns false to abort.
  func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
    activity.noteReceived(at: .now)
    guard bytes.count <= responseLimit - body.count else {
      isBodyTooLarge = true
      return false
    }
    body.append(contentsOf: bytes)
    return true
  }

  /// Receives a header line of `count` bytes; returns false to abort.
  func receiveHeader(_ count: Int) -> Bool {
    let now = ContinuousClock.now
    activity.noteReceived(at: now)
    phases.answered = phases.answered ?? now
    headerBytes += count
    headerLines += 1
    return headerBytes <= TransportConfiguration.headerLimit && headerLines <= TransportConfiguration.headerLineLimit
  }

  /// When the idle timeout passes; nil before the request is sent, when the connect timeout applies.
  var idleDeadline: ContinuousClock.Instant? { activity.deadline(after: ticket.request.idleTimeout) }

  /// The response, or why there is none.
  func result(of code: CURLcode) -> Result<TransportResponse, TransportError> {
    let info = CurlInfo(easy: easy)
    guard code == CURLE_OK else {
      return .failure(
        CurlFailure(
          code: code, wasSent: sends > 0, isPastDeadline: ContinuousClock.now >= ticket.deadline, isBodyTooLarge: isBodyTooLarge,
          presentedPins: presentedPins, systemError: Int32(clamping: info.long(CURLINFO_OS_ERRNO)),
          text: String(cString: errorBuffer)
        ).error)
    }
    let status = info.long(CURLINFO_RESPONSE_CODE)
    guard (200...999).contains(status) else { return .failure(.malformedResponse) }
    var timings = phases.timings(asked: ticket.begun, ended: .now)
    info.addConnection(to: &timings)
    var response = TransportResponse(status: status, headers: info.headers(), body: body, timings: timings)
    response.connection = info.connection()
    switch ContentCoding.decode(body, fields: response.headers[values: .contentEncoding], upTo: responseLimit) {
    case .bytes(let bytes): response.body = bytes
    case .tooLarge: return .failure(.responseTooLarge)
    case .fault(let words): response.codingFault = words
    }
    return .success(response)
  }
}

/// When the last byte of an attempt moved, in either direction (seed-rules C-9 "times out after 30 s").
struct TransferActivity: Sendable {
  private var lastByte: ContinuousClock.Instant?
  /// The bytes of the body that were sent, as libcurl counts them.
  private var sent = 0

  /// Records that sending the request begins.
  mutating func begin(at now: ContinuousClock.Instant) { lastByte = now }

  /// Records how many bytes of the body were sent so far; an unchanged number is no transfer.
  mutating func noteSent(_ count: Int, at now: ContinuousClock.Instant) {
    guard count > sent else { return }
    sent = count
    lastByte = now
  }

  /// Records that bytes of the response arrived.
  mutating func noteReceived(at now: ContinuousClock.Instant) { lastByte = now }

  /// When the attempt has been idle for `timeout`; nil before it is sent, when the connect timeout applies.
  func deadline(after timeout: Duration) -> ContinuousClock.Instant? { lastByte.map { $0 + timeout } }
}

/// When request and response of an attempt were transferred, for phases that libcurl 7.88 does not measure, or measures wrongly
/// with an upload.
struct TransferPhases {
  /// When the transport's thread started it.
  private let started = ContinuousClock.now
  /// When libcurl was about to send it.
  private var began: ContinuousClock.Instant?
  /// When the last byte of the request was handed to the system.
  var sent: ContinuousClock.Instant?
  /// When the first line of the response arrived.
  var answered: ContinuousClock.Instant?

  /// The request is sent, or sent again; without a body it is sent at once.
  mutating func begin(at now: ContinuousClock.Instant, hasBody: Bool) {
    began = now
    sent = hasBody ? nil : now
    answered = nil
  }

  /// The phases of an attempt that was requested and ended at these instants; an early response ends the sending phase.
  func timings(asked: ContinuousClock.Instant, ended: ContinuousClock.Instant) -> NetworkTimings {
    var timings = NetworkTimings(queue: (started - asked).milliseconds, total: (ended - asked).milliseconds)
    guard let began, let answered else { return timings }
    let sent = min(sent ?? answered, answered)
    timings.send = (sent - began).milliseconds
    timings.wait = (answered - sent).milliseconds
    timings.receive = (ended - answered).milliseconds
    return timings
  }
}
