/// A part of the pages that exists only if the backend has the calls for it.
package enum BackendFeature: String, CaseIterable, Codable, Sendable {
  case signInByLink = "sign_in_link"
  case signInByCode = "sign_in_code"
  case signInByPassword = "sign_in_password"
  case refresh, account, profiles, cues, deletion, logout

  /// The code of calls that a backend lacks.
  package static let disabledCode = "feature_disabled"

  /// Its name for people.
  package var words: String {
    switch self {
    case .signInByLink: "sign-in by link"
    case .signInByCode: "sign-in by code"
    case .signInByPassword: "sign-in by password"
    case .refresh: "refresh"
    case .account: "account details"
    case .profiles: "profiles"
    case .cues: "cues"
    case .deletion: "account deletion"
    case .logout: "sign-out at the backend"
    }
  }
}

/// The user actions at a backend, and the fields that its sign-in asks for.
package struct BackendOffer: Hashable, Sendable {
  /// A call of the sign-in and the fields that it asks for.
  package struct SignInCall: Hashable, Sendable {
    /// The call's name in the contract, such as `login_with_code`.
    package let name: String
    /// `identifier`, `password`, `code` or `link`, in the order in which they are asked for.
    package let fields: [String]

    package init(_ name: String, _ fields: [String]) {
      self.name = name
      self.fields = fields
    }
  }

  /// In the order in which a page offers them.
  package let signIn: [SignInCall]
  /// The parts of the pages that the backend has no calls for.
  package let hidden: Set<BackendFeature>
  /// Whether a backend file describes the backend, which then alone decides the form of an identifier and a code.
  package let isOfFile: Bool

  package init(signIn: [SignInCall], hidden: Set<BackendFeature>, isOfFile: Bool = false) {
    self.signIn = signIn
    self.hidden = hidden
    self.isOfFile = isOfFile
  }

  package func has(_ feature: BackendFeature) -> Bool { !hidden.contains(feature) }

  /// The fields that a call of the sign-in asks for; nil if the backend lacks the call.
  package func fields(of call: String) -> [String]? { signIn.first { $0.name == call }?.fields }

  /// Whether a call of the sign-in asks for a field.
  package func asks(_ call: String, for field: String) -> Bool { fields(of: call)?.contains(field) == true }

  /// The typed identifier of a call; nil if none was typed and the call of a backend file does not ask for it.
  ///
  /// Throws `AuthError.invalidIdentifier` for other text that is not an identifier.
  package func identifier(typed raw: String?, for call: String) throws(AuthError) -> Identifier? {
    if isOfFile, !asks(call, for: "identifier"), raw?.isEmpty ?? true { return nil }
    return try Identifier(typed: raw ?? "", for: self)
  }

  /// The calls of the contract's own backend, which has no passwords.
  package static let contract = BackendOffer(
    signIn: [
      SignInCall("request_magic_link", ["identifier"]), SignInCall("login_with_magic_token", ["link"]),
      SignInCall("request_login_code", ["identifier"]), SignInCall("login_with_code", ["identifier", "code"]),
    ], hidden: [.signInByPassword])
}
