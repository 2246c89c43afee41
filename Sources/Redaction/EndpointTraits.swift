/// The properties of an endpoint that the log depends on.
package struct EndpointTraits: Equatable, Sendable {
  /// The name or path template, such as `/rpc/get_cues`; contains no value of a request.
  package let name: String
  /// Whether it is a login, refresh or logout call, in which login codes are masked.
  package let isAuthentication: Bool
  /// Whether the log may store the redacted request body.
  package let logsRequestBody: Bool
  /// Whether the log may store the redacted response body, including error bodies.
  package let logsResponseBody: Bool
  /// Whether every value of a response body is masked that is not known to be harmless, and a body that is not JSON is omitted.
  package let masksResponseValues: Bool

  /// Creates the traits of an endpoint; by default no body is stored.
  package init(
    name: String, isAuthentication: Bool, logsRequestBody: Bool = false, logsResponseBody: Bool = false,
    masksResponseValues: Bool = false
  ) {
    self.name = name
    self.isAuthentication = isAuthentication
    self.logsRequestBody = logsRequestBody
    self.logsResponseBody = logsResponseBody
    self.masksResponseValues = masksResponseValues
  }

  /// The context for masking the texts of its calls.
  package var context: MaskContext { isAuthentication ? .authentication : .general }

  /// The context for masking a request of one of its calls to a path. An error's `code` is no login code, so that a response keeps
  /// ``context``.
  func context(ofRequestTo path: String) -> MaskContext {
    isAuthentication ? .authentication : Self.namesSignIn(path) ? .signInRequest : .general
  }

  /// Whether a path has a word of a sign-in, such as `/auth/verify` and `/login/code`.
  private static func namesSignIn(_ path: String) -> Bool {
    let words = SecretNameWords.words(of: path.utf8.prefix(512))
    return words.contains(where: signInWords.contains)
      || zip(words, words.dropFirst()).contains { signInPairs.contains($0 + $1) }
  }

  private static let signInWords = Set(
    [
      "activate", "activation", "auth", "authenticate", "authentication", "authorize", "challenge", "confirm", "confirmation",
      "login",
      "logins", "magic", "magiclink", "mfa", "oauth", "otp", "otps", "passcode", "passcodes", "password", "passwordless",
      "pairing",
      "pin", "recover", "recovery", "register", "registration", "reset", "session", "sessions", "signin", "signup", "sms", "tfa",
      "token", "totp", "unlock", "verification", "verifications", "verify",
    ].map { Array($0.utf8) })
  private static let signInPairs = Set(["signin", "signup", "login"].map { Array($0.utf8) })
}
