import JSON
import Text

/// Whether a JSON body describes an error, in any form that backends have: by the name of a member, and a value that says something.
///
/// A body without one is a gateway's, which answers for a backend that it did not ask: `{}`, `{"message":"Forbidden"}`.
enum ErrorShape {
  /// Names of members that only an error has, without case and separators.
  private static let errorNames: Set<String> = [
    "detail", "details", "err", "errcode", "errmessage", "errmsg", "error", "errorcode", "errordescription", "errordetail",
    "errordetails", "errorid", "errormessage", "errormsg", "errorname", "errors", "errorsummary", "errortype", "exception",
    "exceptions", "failure", "failures", "fault", "faultcode", "faultstring", "fielderrors", "generalerrors", "globalerrors",
    "invalidparams", "nonfielderrors", "problem", "problems", "reason", "validationerrors", "violations",
  ]
  private static let messageNames: Set<String> = ["message", "messages", "msg", "statusmessage"]
  private static let codeNames: Set<String> = ["code", "errno", "resultcode", "returncode", "status", "statuscode"]
  private static let successNames: Set<String> = ["issuccess", "ok", "success", "succeeded"]
  /// Members that hold what a backend answers, whatever it is.
  private static let envelopes: Set<String> = ["body", "data", "payload", "response", "result"]
  private static let failures: Set<String> = ["error", "fail", "failed", "failure", "ko", "nok"]
  /// Texts of gateways, which say no more than the status.
  private static let gatewayTexts: Set<String> = [
    "badrequest", "forbidden", "gone", "missingauthenticationtoken", "unprocessablecontent", "unprocessableentity",
  ]

  /// The most envelopes in each other.
  private static let depth = 3

  /// Whether the body describes an error.
  static func describesError(_ root: JSONNode) -> Bool { describesError(root, depth) }

  private static func describesError(_ node: JSONNode, _ depth: Int) -> Bool {
    guard depth > 0 else { return false }
    switch node.kind {
    case .array: return node.elements.contains { $0.string?.isEmpty == false || describesError($0, depth - 1) }
    case .object: break
    default: return false
    }
    let members = node.members.map { (name: folded($0.key), value: $0.value) }
    var hasStatus = false
    var message: JSONNode?
    for (name, value) in members {
      if errorNames.contains(name), says(value) { return true }
      if successNames.contains(name), value.bool == false { return true }
      if envelopes.contains(name), describesError(value, depth - 1) { return true }
      if messageNames.contains(name), says(value) { message = value }
      guard codeNames.contains(name) else { continue }
      if let number = value.double {
        // A number that is no status is the backend's own.
        if number != 0, !(100...599).contains(number), name != "status", name != "statuscode" { return true }
        hasStatus = true
      } else if let text = value.string {
        if name == "status" || name == "statuscode", failures.contains(text.lowercased()) { return true }
        hasStatus = hasStatus || Int(text) != nil
      }
    }
    // A problem's `type` may be missing, and then counts as `about:blank` (RFC 9457 §3.1.1).
    if node["title"]?.kind == .string, node["type"]?.kind == .string || hasStatus { return true }
    if let message { return hasStatus || message.string.map { !gatewayTexts.contains(folded($0)) } ?? true }
    return isFields(members.map(\.value))
  }

  /// Whether every member has texts, as the errors of a form's fields do: `{"refresh":["This field may not be blank."]}`.
  private static func isFields(_ values: [JSONNode]) -> Bool {
    !values.isEmpty
      && values.allSatisfy { value in
        value.kind == .array && value.count > 0 && value.elements.allSatisfy { $0.string?.isEmpty == false }
      }
  }

  /// Whether the value of a member is more than none, zero or false.
  private static func says(_ value: JSONNode) -> Bool {
    switch value.kind {
    case .string: value.string?.isEmpty == false
    case .object, .array: value.count > 0
    case .number: value.double != 0
    case .bool: value.bool == true
    case .null: false
    }
  }

  /// A text without what differs between spellings: case, punctuation and blanks.
  private static func folded(_ text: String) -> String { text.prefix(64).lowercased().filter { $0.isLetter || $0.isNumber } }
}
