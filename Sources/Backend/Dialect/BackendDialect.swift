import HTTPTypes
import JSON
import RPC
import Server

/// The form of the backend's responses; requests are the same in every dialect, except for a date that is returned in its own
/// form.
///
/// A dialect rewrites finished responses, so that handlers do not depend on it.
package enum BackendDialect: String, CaseIterable, Sendable {
  /// As `GET /swagger.json` describes them.
  case strict
  /// As the seed documents show them: `accessToken`, `refreshToken` and `expiresAt` alone, dates that end in `+0000`, and errors as
  /// `{"error", "error_description"}` (RFC 6749 §5.2).
  case seed
  /// In camelCase: dates in milliseconds since 1970, some numbers as text, `null` for absent fields, an unknown field, and errors
  /// as `{"code", "message"}`.
  case camel
  /// Errors as `application/problem+json` (RFC 9457) with other statuses, dates in seconds since 1970, and without some members.
  case problem

  /// The precision of dates in milliseconds. Changes of a cue are at least this far apart, so that its date changes each time.
  var dateStep: Int64 { self == .problem ? 1000 : 1 }

  /// Whether dates are numbers.
  var hasNumericDates: Bool { self == .camel || self == .problem }

  /// Returns the response to a call in this dialect; leaves errors to `rewriting(_:)`.
  func rewriting(_ answer: Answer, to head: CallHead) -> Answer {
    guard self != .strict, head.path != BackendRoute.descriptionPath, answer.recordedFields == nil,
      answer.status.kind == .successful, let body = answer.body, let tree = try? JSONTree(parsing: body)
    else { return answer }
    var answer = answer
    answer.body = SuccessSpelling(dialect: self).body(tree).bytes
    answer.etagSource = answer.etagSource.map { Array(rawValue.utf8) + $0 }
    return answer
  }

  /// Returns an error response in this dialect, and any other response as it is.
  func rewriting(_ response: Response) -> Response {
    guard self != .strict, response.status.code >= 400, case .bytes(let bytes) = response.body,
      let error = (try? JSONTree(parsing: bytes))?["error"], let code = error["code"]?.string
    else { return response }
    let spelling = ErrorSpelling(dialect: self, error: error, code: code)
    var rewritten = response
    rewritten.status = spelling.status(insteadOf: response.status)
    rewritten.body = .bytes(spelling.body(status: rewritten.status).bytes)
    rewritten.headers[.contentType] = spelling.mediaType
    return rewritten
  }
}

/// Rewrites the body and the status of an error into a dialect.
struct ErrorSpelling {
  let dialect: BackendDialect
  /// The object under `error` of a `BackendErrorBody`.
  let error: JSONTree
  let code: String

  /// The media type of errors.
  var mediaType: String { dialect == .problem ? "application/problem+json" : "application/json" }

  /// The status of this error; only `problem` has other statuses than the contract.
  func status(insteadOf status: HTTPResponse.Status) -> HTTPResponse.Status {
    guard dialect == .problem else { return status }
    return switch code {
    case BackendErrorCode.invalidIdentifier: .unprocessableContent
    case BackendErrorCode.tooManyAttempts: .forbidden
    default: status
    }
  }

  /// The body of an error with that status.
  func body(status: HTTPResponse.Status) -> JSONTree {
    let message = error["message"] ?? .string("")
    var members: [JSONTree.Member]
    switch dialect {
    case .strict: members = [JSONTree.Member("error", error)]
    case .seed: members = [JSONTree.Member("error", .string(code)), JSONTree.Member("error_description", message)]
    case .camel:
      members = [
        JSONTree.Member("code", .string(code)), JSONTree.Member("message", message),
        JSONTree.Member("requestId", error["request_id"] ?? .null), JSONTree.Member("details", details ?? .null),
      ]
      return .object(members)
    case .problem:
      members = [
        JSONTree.Member("type", .string("/problems/\(code)")),
        JSONTree.Member("title", .string(status.reasonPhrase.isEmpty ? code : status.reasonPhrase)),
        JSONTree.Member("status", .number(status.code)), JSONTree.Member("detail", message),
        JSONTree.Member("code", .string(code)),
      ]
      if let requestID = error["request_id"] { members.append(JSONTree.Member("request_id", requestID)) }
    }
    if dialect != .strict, let details { members.append(JSONTree.Member("details", details)) }
    return .object(members)
  }

  private var details: JSONTree? { error["details"].map { SuccessSpelling(dialect: dialect).value($0) } }
}
