/// The engine's data about an exchange.
struct ExchangeFacts: Sendable {
  /// The kind of OAuth grant, or of another protocol's sign-in.
  enum Grant: Sendable { case refresh, user, client }

  let number: Int
  /// In milliseconds since 1970, by the recorder's clock.
  let start: Int64
  let end: Int64
  /// Whether the log says when the request was sent, and how long it took.
  var hasStart = true
  var hasDuration = true
  let method: String
  /// The registrable domain.
  let site: Int
  /// The app's number, by its user agent.
  let client: Int
  /// Equal for requests to one address with one method.
  let target: Int
  /// The path for people, without the query.
  let path: String
  var words: CallWords
  /// nil if the app got no response; 401 if only the body shows that the token was rejected.
  var status: Int?
  /// The status as the response has it.
  var sentStatus: Int?
  /// Whether the body reports a failure that does not concern the token.
  var reportsFailure = false
  /// Whether the response sends a browser to a sign-in page.
  var leadsToSignIn = false
  /// Whether the response is a page, not an API's.
  var isPage = false
  /// Whether the response is an image, a script or a similar file.
  var isFile = false
  /// Whether the response's body is in the file.
  var isBodyRecorded = true
  var grant: Grant?
  /// Whether the request carries a password or a code.
  var hasUserSecret = false
  var sent: [Credential] = []
  var received: [Credential] = []
  /// Cookies with meaningless names, by the numbers of their names.
  var namelessCookies: [(name: Int, tag: TokenTag)] = []
  /// Whether the response deletes the session's cookie.
  var clearsSession = false
  /// The error's code as the backend sent it, and code and message in lower case.
  var code: String?
  var message = ""
  /// In seconds.
  var retryAfter: Double?
  /// The response's `Date`, in milliseconds since 1970; nil if it came from a cache.
  var serverTime: Int64?
  /// The time that the app sent, in milliseconds since 1970.
  var clientTime: Int64?
  /// Whether the app reports in the request that it has left the session.
  var reportsEnd = false
  /// Whether the app reports that it shows its sign-in screen.
  var reportsSignInScreen = false
  /// Whether the request failed before it reached a backend.
  var isUnsent = false
  var fault: String?
  var hasIdempotencyKey = false
  /// nil for a request that the judged client did not send.
  var attempt: Exchange.Attempt?
  /// The request's purpose, from its recorder or a backend file.
  var named: NamedCall.Kind?
  var kind = CallKind.other

  /// Whether the backend rejected the request because of its token.
  var isUnauthorized = false
  /// Whether the response has neither header fields nor a body, as if it were not recorded.
  var isBare = false
  /// The value that renews the session.
  var refreshToken: Credential? { sent.first { $0.role == .refresh } }
  /// The token that opens the session: a cookie only if there is no other.
  var sessionToken: Credential? { sent.first { $0.place != .cookie } ?? sent.first }
  /// Whether it is a call of the app that worked.
  var isSuccess: Bool { kind == .other && !isUnauthorized && status.map { (200..<400).contains($0) } ?? false }
  /// Whether it asks for a sign-in, with a cookie that browsers send with every request.
  var isSignInPage: Bool { words.contains(.signIn) && sessionToken?.place == .cookie }
  /// Whether it can work with the cookie of a session that has ended.
  var needsNoSession: Bool { isSignInPage || sessionToken?.place == .cookie && (isPage || isFile) }
}

/// The purpose of a request.
enum CallKind: Sendable {
  case signIn, refresh, signOut, other
}
