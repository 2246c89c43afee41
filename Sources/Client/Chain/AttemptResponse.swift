import BackendFile
import Domain
import FoundationEssentials
import HTTPTypes
import JSON
import RPC
import Text

/// A complete response with the chain's data about its attempt.
struct AttemptResponse: Sendable {
  let response: TransportResponse
  /// The parsed body, nil if it is not JSON; parsed once for all users.
  let document: JSONDocument?
  /// The reason for a missing document.
  let unread: PayloadMismatch
  /// The error that the body describes; nil for a status below 400.
  private(set) var error: ParsedErrorBody?
  /// The decoded body, or the reason for its absence; nil if the endpoint expects none.
  private(set) var body: Result<any Sendable, NetworkError>?
  /// The id of the attempt's row in the network log.
  let row: String
  /// When the attempt was sent, on both clocks; `sentWall` includes the skew of a fault rule.
  let sentAt: ContinuousClock.Instant
  let sentWall: Date
  /// Whether the request was conditional.
  private let isConditional: Bool
  /// The clock skew of a fault rule during the attempt, in seconds.
  let skewSeconds: Int64
  /// Whether a fault rule decided the client's result.
  let isOfFault: Bool
  /// The backend file's reading of it; nil for a response in the contract's form, such as a fault rule's.
  private(set) var reading: FileReading?
  /// The captured session of a sign-in by a backend file.
  var session: CapturedSession?
  /// The contract's response that a backend file converted it to.
  private(set) var contract: JSONDocument?
  /// Reports the missing fields of the decoded body; nil to report nothing.
  var noteFields: (@Sendable (JSONReadNotes) -> Void)?

  /// Creates a response and parses its body.
  init(
    response: TransportResponse, row: String, sentAt: ContinuousClock.Instant, sentWall: Date, isConditional: Bool = false,
    skewSeconds: Int64 = 0, isOfFault: Bool = false
  ) {
    var response = response
    // RFC 8259 §8.1 permits a reader to ignore it.
    if response.body.starts(with: [0xEF, 0xBB, 0xBF]) { response.body.removeFirst(3) }
    self.response = response
    var document = nil as JSONDocument?
    var unread = PayloadMismatch.emptyBody
    if let words = response.codingFault {
      unread = .coding(words)
    } else if !response.body.isEmpty {
      do throws(JSONError) { document = try JSONDocument(parsing: response.body) } catch {
        unread = PayloadMismatch(error, in: response.body)
      }
    }
    self.document = document
    self.unread = unread
    error = response.status < 400 ? nil : document.flatMap { ParsedErrorBody($0.root) }
    self.row = row
    self.sentAt = sentAt
    self.sentWall = sentWall
    self.isConditional = isConditional
    self.skewSeconds = skewSeconds
    self.isOfFault = isOfFault
  }

  /// Decodes the parsed body tolerantly and reports its missing fields; throws if a required field is missing.
  func decodeBody<Body: Decodable>(_ type: Body.Type, from document: JSONDocument) throws(JSONError) -> Body {
    let notes = JSONReadNotes()
    let body = try JSONCoding.decodeTolerantly(type, from: document, notes: notes)
    if !notes.all.isEmpty { noteFields?(notes) }
    return body
  }

  /// The backend's clock at the response, by the `Date` field; nil without one.
  var answeredAt: Timestamp? {
    response.headers[.date].flatMap { HTTPDate.parse($0, now: Timestamp(sentWall).milliseconds / 1000) }.map {
      Timestamp(milliseconds: $0 * 1000)
    }
  }

  /// Whether the backend confirmed the stored response with a 304.
  var isNotModified: Bool { isConditional && response.status == 304 }
  /// Whether the status is 2xx, or a 304 to a conditional request.
  var isSuccess: Bool {
    if let reading { return reading.failure == nil }
    return (200...299).contains(response.status) || isNotModified
  }

  /// This client's meaning of the backend's error code; nil if there is no well-formed one.
  var backendCode: String? { reading.map(\.contractCode) ?? error?.meaning }

  /// The effect of an authenticated call's failure on its session; nil for none.
  func sessionStep(isReplay: Bool) -> UnauthorizedRules.Step? {
    if let reading { return reading.sessionStep(isReplay: isReplay) }
    guard UnauthorizedRules.applies(status: response.status, code: backendCode) else { return nil }
    return UnauthorizedRules.step(code: backendCode, isReplay: isReplay)
  }

  /// Whether the access token itself was rejected, so that other calls cannot use it either.
  var rejectsAccessToken: Bool {
    reading?.rejectsAccessToken ?? UnauthorizedRules.rejectsAccessToken(code: backendCode)
  }

  /// Why the failure of a refresh ends the session; nil if it does not.
  var refusalOfRefresh: LogoutReason? {
    if let reading { return reading.refusalOfRefresh }
    return UnauthorizedRules.logoutReason(
      onRefresh: response.status, code: error?.meaningOnRefresh, hasError: error != nil, isPage: isPage)
  }

  /// Why the body cannot be used; nil if it can, or was not to be decoded.
  var mismatch: PayloadMismatch? {
    guard case .failure(.unexpectedPayload(let mismatch)) = body else { return nil }
    return mismatch
  }

  /// Sets the backend file's reading of the response, and decodes the contract's response if it is complete.
  mutating func take(_ reading: FileReading, reader: ResponseReader?) {
    self.reading = reading
    switch reading.outcome {
    case .continued: break
    case .unusable(let mismatch): body = .failure(.unexpectedPayload(mismatch))
    case .failure(let failure): error = ParsedErrorBody(code: failure.code)
    case .answered(let tree):
      contract = try? JSONDocument(parsing: tree.bytes)
      if let reader { decode(with: reader) }
    }
  }

  /// Decodes the body.
  mutating func decode(with reader: ResponseReader) {
    do throws(NetworkError) { body = .success(try reader.read(self)) } catch { body = .failure(error) }
  }

  /// Whether the backend rejects the request's signature.
  var rejectsSignature: Bool {
    (400...499).contains(response.status) && (error?.code ?? backendCode) == BackendErrorCode.invalidSignature
  }

  /// Whether the body is a page for a browser, such as a proxy's, which does not concern the call.
  private var isPage: Bool { response.headers[.contentType]?.lowercased().hasPrefix("text/html") == true }

  /// Whether the backend has another version of the object that the call changes.
  var isConflict: Bool {
    response.status == 409 || (400...499).contains(response.status) && backendCode == BackendErrorCode.conflict
  }
}

/// Decodes an endpoint's response body before the attempt's row is finished, because the row shows decoding errors.
struct ResponseReader: Sendable {
  /// Decodes a successful response; throws `unexpectedPayload`.
  let read: @Sendable (AttemptResponse) throws(NetworkError) -> any Sendable

  /// Creates the reader of an endpoint's responses.
  init<E: APIEndpoint>(_ endpoint: E.Type) {
    read = { answer throws(NetworkError) in
      let body = try APIClient.decode(E.ResponseBody.self, from: answer)
      // Tokens that no session can have are as unreadable as missing tokens.
      if let pair = body as? TokenPair {
        let isRefresh = E.self == AuthEndpoints.RefreshTokens.self || E.self == AuthEndpoints.AppRefreshToken.self
        let kept = isRefresh ? "kept" : nil
        _ = try SessionTokens(
          pair, sentAt: answer.sentAt, sentWall: answer.sentWall, keeping: kept, needsRefreshToken: answer.reading == nil)
      }
      return body
    }
  }
}
