import FoundationEssentials
package import HTTPTypes
package import JSON
package import Server

/// An error as the console answers it: RFC 9457 problem details with a stable code (contract §2.3).
package struct Problem: Error, Hashable, Sendable {
  package let status: HTTPResponse.Status
  /// The stable word that the pages translate.
  package let code: String
  /// A short English sentence for developers; the pages do not show it.
  package let title: String
  /// The member of the request's body that is at fault.
  package var field: String?
  /// Whole seconds after which the same request may work.
  package var retryAfterSeconds: Int?
  /// Why, in one stable word, if the code alone leaves open what to do.
  package var reason: String?

  /// Makes a problem of its parts.
  package init(
    _ status: HTTPResponse.Status, _ code: String, _ title: String, field: String? = nil, retryAfterSeconds: Int? = nil,
    reason: String? = nil
  ) {
    self.status = status
    self.code = code
    self.title = title
    self.field = field
    self.retryAfterSeconds = retryAfterSeconds
    self.reason = reason
  }

  package static let noDevice = Problem(.unauthorized, "no_device", "The request names no device of this browser.")
  /// The key is a device's, the cookie is not its browser's: `POST /api/browser` gives a new one.
  package static let browserUnknown = Problem(
    .unauthorized, "no_device", "The request comes without the cookie of the device's browser.", reason: "browser_unknown")
  /// The key is no device's, for good.
  package static let deviceUnknown = Problem(
    .unauthorized, "no_device", "The device is gone.", reason: "device_unknown")
  package static let signedOut = Problem(.unauthorized, "signed_out", "Nobody is signed in on this device.")
  package static let accessRequired = Problem(.unauthorized, "access_required", "The console asks for its access token first.")
  package static let originRefused = Problem(.forbidden, "origin_refused", "The request comes from another origin.")
  package static let notFound = Problem(.notFound, "not_found", "There is nothing here.")
  package static let tooManyStreams = Problem(.tooManyRequests, "too_many_streams", "The device has too many open streams.")
  package static let unsupportedMediaType = Problem(
    .unsupportedMediaType, "unsupported_media_type", "The body is not application/json.")
  package static let payloadTooLarge = Problem(.contentTooLarge, "payload_too_large", "The body is too large.")
  /// The bodies of all requests are together as large as they may be.
  package static let bodiesOverBudget = Problem(
    .serviceUnavailable, "unavailable", "Too many bodies are on their way.", retryAfterSeconds: 1)
  package static let storageFull = Problem(.serviceUnavailable, "storage_full", "The data folder cannot be written.")

  /// A request that does not say what the route needs.
  package static func invalidRequest(_ title: String, field: String? = nil) -> Problem {
    Problem(.badRequest, "invalid_request", title, field: field)
  }
}

/// The JSON of a problem.
private struct ProblemBody: Encodable {
  let type = "about:blank"
  let title: String
  let status: Int
  let code: String
  let field: String?
  let requestID: String
  let retryAfterSeconds: Int?
  let retryAt: Timestamp?
  let reason: String?
}

extension Problem {
  /// Writes the problem as a response; `now` dates `retryAt`.
  package func response(requestID: String, now: Timestamp) -> Response {
    let retryAt = retryAfterSeconds.map { Timestamp(now.date.addingTimeInterval(Double($0))) }
    let body = ProblemBody(
      title: title, status: status.code, code: code, field: field, requestID: requestID,
      retryAfterSeconds: retryAfterSeconds, retryAt: retryAt, reason: reason)
    var response = Response.json((try? JSONCoding.encode(body, keys: .snakeCase)) ?? [], status: status)
    response.headers[.contentType] = "application/problem+json"
    response.headers[.cacheControl] = "no-store"
    if let retryAfterSeconds { response.headers[.retryAfter] = String(retryAfterSeconds) }
    return response
  }
}

extension Problem {
  /// What the server answers by itself to a request that reached no route: malformed, too large or too slow.
  package static func refusal(_ status: HTTPResponse.Status) -> Response {
    let code =
      switch status {
      case .contentTooLarge: "payload_too_large"
      case .requestTimeout: "timeout"
      case .serviceUnavailable: "unavailable"
      default: "invalid_request"
      }
    let wait = status == .serviceUnavailable ? 1 : nil
    return Problem(status, code, "\(status.reasonPhrase).", retryAfterSeconds: wait).response(
      requestID: "-", now: Timestamp(Date()))
  }
}
