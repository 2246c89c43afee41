import HTTPTypes
import JSON
import RPC

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
