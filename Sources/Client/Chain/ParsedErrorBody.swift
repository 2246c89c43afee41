import BackendFile
import JSON
import RPC
import Text

/// The error that the body of a response describes, in any of the shapes that backends use.
///
/// The shapes are those of the reference backend (`{"error":{"code", "message"}}`), RFC 6749 §5.2, RFC 9457, JSON:API and allauth
/// (`errors`), GoTrue, Cognito, Firebase, Okta, Kratos, Matrix, FastAPI and Django REST framework; ``ErrorShape`` knows more, which have no
/// code.
struct ParsedErrorBody: Hashable, Sendable {
  /// The error code: one of `BackendErrorCode` in its own spelling, or another well-formed word; nil if there is none.
  let code: String?
  /// The code of `BackendErrorCode` that means the same, else `code`.
  let meaning: String?
  /// The same for the response to a refresh.
  var meaningOnRefresh: String? { code.map { ForeignErrorCode.meaning(onRefresh: $0) ?? $0 } }
  /// How long to wait before the next attempt, in whole seconds, 1 to `RetryAfter.longest`; nil if the body does not say.
  let retryAfterSeconds: Int?

  /// Reads the body of a response with an error status; nil if it describes no error.
  init?(_ root: JSONNode) {
    let texts = ErrorPlaces.usualCodes(in: root)
    guard !texts.isEmpty || ErrorShape.describesError(root) else { return nil }
    let codes = (texts + [root["type"]?.string.flatMap(Self.lastSegment)].compactMap { $0 }).compactMap(Self.canonical)
    // A backend may send its own code together with a known one.
    code = codes.first(where: BackendErrorCode.all.contains) ?? codes.first
    meaning = code.map { ForeignErrorCode.meaning(of: $0) ?? $0 }
    let nested = root["error"]
    retryAfterSeconds =
      [nested, nested?["details"], root, root["details"]].lazy.compactMap { $0.flatMap(Self.seconds(in:)) }.first
  }

  /// The error of a response that a backend file read; drops a malformed code.
  init(code: String?) {
    self.code = code.flatMap(Self.canonical)
    meaning = self.code
    retryAfterSeconds = nil
  }

  /// The last segment of a problem type; nil for `about:blank`, which means the same as the status.
  private static func lastSegment(_ type: String) -> String? {
    guard type != "about:blank" else { return nil }
    let path = type.prefix { $0 != "?" }
    return path.split(whereSeparator: { $0 == "/" || $0 == "#" || $0 == ":" }).last.map(String.init)
  }

  private static let known = Dictionary(uniqueKeysWithValues: BackendErrorCode.all.map { (folded($0), $0) })

  /// The code in this client's spelling; nil unless it is known or 1 to 64 letters, digits and underscores.
  ///
  /// An unknown code is never changed: it may quote a secret, which is only masked as it was sent.
  private static func canonical(_ text: String) -> String? {
    guard (1...64).contains(text.utf8.count) else { return nil }
    if let code = known[folded(text)] { return code }
    let isWord = text.utf8.allSatisfy { ASCII.isAlphanumeric($0) || $0 == 0x5F }
    return isWord ? text : nil
  }

  /// The code without case, hyphens and underscores, which differ between spellings.
  static func folded(_ code: String) -> String { code.lowercased().filter { $0 != "_" && $0 != "-" } }

  /// The fields with a wait, and the value of one second in each.
  private static let waitMembers: [(name: String, second: Double)] = [
    ("retry_after_ms", 1000), ("retry_after_seconds", 1), ("retry_after", 1), ("retryAfterSeconds", 1), ("retryAfter", 1),
  ]

  private static func seconds(in object: JSONNode) -> Int? {
    for member in waitMembers {
      guard let node = object[member.name], let value = node.double ?? node.string.flatMap(Double.init),
        let wait = RetryAfter.wait(value / member.second)
      else { continue }
      return wait
    }
    return nil
  }
}

/// Error codes of other backends that mean the same as one of `BackendErrorCode`, and have the same effect.
enum ForeignErrorCode {
  /// One line a code: the product that documents it, the code, and its meaning.
  private static let table: [(product: String, code: String, meaning: String)] = [
    ("GoTrue", "bad_jwt", BackendErrorCode.invalidToken),
    ("GoTrue", "otp_expired", BackendErrorCode.loginCodeInvalid),
    ("GoTrue", "over_request_rate_limit", BackendErrorCode.tooManyAttempts),
    ("GoTrue", "over_email_send_rate_limit", BackendErrorCode.tooManyAttempts),
    ("GoTrue", "over_sms_send_rate_limit", BackendErrorCode.tooManyAttempts),
    ("GoTrue", "user_banned", BackendErrorCode.forbidden),
    ("Cognito", "CodeMismatchException", BackendErrorCode.loginCodeInvalid),
    ("Cognito", "ExpiredCodeException", BackendErrorCode.loginCodeInvalid),
    ("Cognito", "TooManyRequestsException", BackendErrorCode.tooManyAttempts),
    ("Cognito", "TooManyFailedAttemptsException", BackendErrorCode.tooManyAttempts),
    ("Cognito", "LimitExceededException", BackendErrorCode.tooManyAttempts),
    ("Firebase", "INVALID_ID_TOKEN", BackendErrorCode.invalidToken),
    ("Firebase", "INVALID_CODE", BackendErrorCode.loginCodeInvalid),
    ("Firebase", "INVALID_OOB_CODE", BackendErrorCode.loginLinkInvalid),
    ("Firebase", "EXPIRED_OOB_CODE", BackendErrorCode.loginLinkInvalid),
    ("Firebase", "TOO_MANY_ATTEMPTS_TRY_LATER", BackendErrorCode.tooManyAttempts),
    ("Firebase", "USER_DISABLED", BackendErrorCode.forbidden),
    ("Okta", "E0000011", BackendErrorCode.invalidToken),
    ("Okta", "E0000047", BackendErrorCode.tooManyAttempts),
    ("Matrix", "M_UNKNOWN_TOKEN", BackendErrorCode.invalidToken),
    ("Matrix", "M_LIMIT_EXCEEDED", BackendErrorCode.tooManyAttempts),
    ("Django REST framework", "token_not_valid", BackendErrorCode.invalidToken),
    ("Django REST framework", "throttled", BackendErrorCode.tooManyAttempts),
    ("allauth", "incorrect_code", BackendErrorCode.loginCodeInvalid),
    ("RFC 6749", "temporarily_unavailable", BackendErrorCode.unavailable),
    ("RFC 8628", "slow_down", BackendErrorCode.tooManyAttempts),
  ]

  /// Codes that concern the refresh token in a response to a refresh; in other responses they may concern the access token.
  private static let refreshTable: [(product: String, code: String, meaning: String)] = [
    ("GoTrue", "refresh_token_not_found", BackendErrorCode.refreshTokenExpired),
    ("GoTrue", "refresh_token_already_used", BackendErrorCode.refreshTokenReused),
    ("GoTrue", "session_not_found", BackendErrorCode.refreshTokenExpired),
    ("GoTrue", "session_expired", BackendErrorCode.refreshTokenExpired),
    ("Firebase", "TOKEN_EXPIRED", BackendErrorCode.refreshTokenExpired),
    ("Firebase", "INVALID_REFRESH_TOKEN", BackendErrorCode.refreshTokenExpired),
    ("Kratos", "session_inactive", BackendErrorCode.refreshTokenExpired),
  ]

  private static let meanings = Dictionary(table.map { (ParsedErrorBody.folded($0.code), $0.meaning) }) { first, _ in first }

  private static let refreshMeanings = Dictionary(refreshTable.map { (ParsedErrorBody.folded($0.code), $0.meaning) }) {
    first, _ in
    first
  }

  /// The code of `BackendErrorCode` that a code of another backend means, in any spelling; nil for all others.
  static func meaning(of code: String) -> String? { meanings[ParsedErrorBody.folded(code)] }

  /// The same for the response to a refresh.
  static func meaning(onRefresh code: String) -> String? { refreshMeanings[ParsedErrorBody.folded(code)] ?? meaning(of: code) }
}
