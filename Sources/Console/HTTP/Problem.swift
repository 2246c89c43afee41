import FoundationEssentials
package import HTTPTypes
package import JSON
import OpenAPI
package import Server

/// An error as the console returns it: RFC 9457 problem details with a stable code.
package struct Problem: Error, Hashable, Sendable {
  /// A cause that determines what to do, for a code that has several.
  package enum Reason: String, CaseIterable, Sendable {
    case browserUnknown = "browser_unknown"
    case deviceUnknown = "device_unknown"
    case databaseAway = "database_away"
    case moved
    case moving
    case backendWait = "backend_wait"
  }

  /// The stable word that the pages translate.
  package let code: ProblemCode
  package let status: HTTPResponse.Status
  /// A short English sentence for developers; the pages do not show it.
  package let title: String
  /// The member of the request's body that is wrong.
  package var field: String?
  /// Whole seconds after which the same request may succeed.
  package var retryAfterSeconds: Int?
  /// The cause, in one stable word, if the code alone does not determine what to do.
  package var reason: Reason?
  /// The error's description, as an English sentence; contains no value of the request.
  package var detail: String?
  /// The row of the device's network log that shows the failure.
  package var rowID: String?

  /// The status is the code's unless another is given.
  package init(
    _ code: ProblemCode, _ title: String, status: HTTPResponse.Status? = nil, field: String? = nil,
    retryAfterSeconds: Int? = nil, reason: Reason? = nil
  ) {
    self.code = code
    self.status = status ?? HTTPResponse.Status(code: code.status)
    self.title = title
    self.field = field
    self.retryAfterSeconds = retryAfterSeconds
    self.reason = reason
  }

  package static let noDevice = Problem(.noDevice, "The request does not name a device of this browser.")
  /// The key belongs to a device but the cookie does not belong to its browser: `POST /api/browser` gives a new one.
  package static let browserUnknown = Problem(
    .noDevice, "The request does not carry the cookie of the device's browser.", reason: .browserUnknown)
  /// The key belongs to no device and never will again.
  package static let deviceUnknown = Problem(.noDevice, "The device was deleted.", reason: .deviceUnknown)
  /// The person's role does not allow it.
  package static let roleRefused = Problem(.roleRefused, "The role of this person does not allow it.")
  package static let signedOut = Problem(.signedOut, "Nobody is signed in on this device.")
  package static let accessRequired = Problem(.accessRequired, "The console requires its access token.")
  package static let originRefused = Problem(.originRefused, "The request comes from another origin.")
  package static let notFound = Problem(.notFound, "Not found.")
  package static let methodNotAllowed = Problem(.methodNotAllowed, "The route does not support this method.")
  package static let tooManyStreams = Problem(.tooManyStreams, "The device has too many open streams.")
  package static let unsupportedMediaType = Problem(.unsupportedMediaType, "The body is not application/json.")
  package static let payloadTooLarge = Problem(.payloadTooLarge, "The body is too large.")
  /// The bodies of all requests together use as much memory as they may.
  package static let bodiesOverBudget = Problem(
    .unavailable, "Too many request bodies are being received.", retryAfterSeconds: 1)
  package static let storageFull = Problem(.storageFull, "The data folder cannot be written.")
  /// A fault of the console itself; the log has its kind under the request's id.
  package static let internalError = Problem(.internalError, "The console failed to handle the request.")

  /// A request that does not meet the route's requirements.
  package static func invalidRequest(_ title: String, field: String? = nil) -> Problem {
    Problem(.invalidRequest, title, field: field)
  }
}

/// The JSON of a problem.
private struct ProblemBody: Codable, SchemaProvider {
  var type = "about:blank"
  let title: String
  let status: Int
  let code: String
  let field: String?
  let requestID: String
  let retryAfterSeconds: Int?
  let retryAt: Timestamp?
  let reason: String?
  let detail: String?
  let rowID: String?

  private static let reasons = """
    Of no_device. browser_unknown: the key belongs to a device, but the cookie does not belong to its browser; POST /api/browser \
    gives a new cookie. device_unknown: the device was deleted, and its key is void. Of unavailable, if consoles share a database. \
    moving: nothing was done, and the same request succeeds a moment later. moved: the request may have been carried out. \
    database_away: the database cannot be reached. Of unavailable and too_many_attempts: backend_wait, the backend asked to wait.
    """

  /// Recorded once, because every route refers to it.
  static let schema: Schema = {
    let codes = ProblemCode.allCases.filter { $0 != .maskNotHeld }.map(\.text)
    return .recorded(from: Self.self).refined([
      "type": .constant("about:blank"), "status": .minimum(400), "code": .oneOf(codes), "retry_after_seconds": .minimum(0),
      "reason": .oneOf(Problem.Reason.allCases.map(\.rawValue)) && .described(reasons),
      "detail": .described(
        "Of invalid_recording: what is wrong with the file, and on which line. Of account_taken: by whom and until when, or why it is not known."
      ),
      "row_id": .described("The row of the network log that shows the backend's call that failed."),
    ]).named("Problem")
  }()
}

extension Problem {
  /// Writes the problem as a response; `now` dates `retryAt`.
  package func response(requestID: String, now: Timestamp) -> Response {
    let retryAt = retryAfterSeconds.map { Timestamp(now.date.addingTimeInterval(Double($0))) }
    let body = ProblemBody(
      title: title, status: status.code, code: code.text, field: field, requestID: requestID,
      retryAfterSeconds: retryAfterSeconds, retryAt: retryAt, reason: reason?.rawValue, detail: detail, rowID: rowID)
    var response = Response.json((try? JSONCoding.encode(body, keys: .snakeCase)) ?? [], status: status)
    response.headers[.contentType] = "application/problem+json"
    response.headers[.cacheControl] = "no-store"
    if let retryAfterSeconds { response.headers[.retryAfter] = String(retryAfterSeconds) }
    return response
  }

  /// The response to a request that reached no route because it was malformed, too large or too slow.
  package static func refusal(_ status: HTTPResponse.Status) -> Response {
    let code: ProblemCode =
      switch status {
      case .contentTooLarge: .payloadTooLarge
      case .requestTimeout: .timeout
      case .serviceUnavailable: .unavailable
      default: .invalidRequest
      }
    let wait = status == .serviceUnavailable ? 1 : nil
    return Problem(code, "\(status.reasonPhrase).", status: status, retryAfterSeconds: wait).response(
      requestID: "-", now: Timestamp(Date()))
  }

  /// The responses with these codes, one a status, as the API description lists them.
  static func responses(of codes: Set<ProblemCode>) -> [Operation.Response] {
    let ordered = ProblemCode.allCases.filter { codes.contains($0) }
    return Set(ordered.map(\.status)).sorted().map { status in
      let words = ordered.filter { $0.status == status }.map(\.text)
      return .content(
        words.joined(separator: ", "), "application/problem+json", ProblemBody.schema.narrowed(["code": .oneOf(words)]),
        status: HTTPResponse.Status(code: status))
    }
  }
}
