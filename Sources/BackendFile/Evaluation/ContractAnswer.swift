package import JSON

extension BackendDefinition {
  /// The contract's response to a call, from the values that its requests captured; the client decodes it like the reference
  /// backend's.
  ///
  /// Throws if it lacks an access token, or a refresh token that `refresh_tokens` sends; a refresh may keep the old one.
  package func answer(to call: CallTemplate, from captured: CapturedValues) throws(MissingValue) -> JSONTree {
    var members: [JSONTree.Member] = []
    for field in call.name.answer where !AnswerField.lifetimes.contains(field) {
      if let value = captured.fields[field.name] { members.append(JSONTree.Member(field.name, value)) }
    }
    switch call.name.role {
    case .login, .refresh:
      try require("access_token", captured, call)
      if call.name.role == .login, refreshSendsToken { try require("refresh_token", captured, call) }
      members += accessLifetime(captured).members("") + refreshLifetime(captured).members("refresh_")
    case .signedIn, .open, .request: members += Self.defaults(of: call.name, members)
    }
    return .object(members)
  }

  /// A login's data about the account, which replaces `me` if the file lacks it.
  package func account(from captured: CapturedValues) -> JSONTree {
    let members = AnswerField.account.compactMap { field in
      captured.fields[field.name].map { JSONTree.Member(field.name, $0) }
    }
    return .object(members + Self.defaults(of: .me, members))
  }

  /// Whether the refresh token is needed to refresh. Otherwise a session may have none.
  package var refreshSendsToken: Bool {
    let name = FlowValue.refreshToken.rawValue
    return call(.refreshTokens)?.requests.contains { $0.templates.contains { $0.values.contains(name) } } == true
  }

  package func accessLifetime(_ captured: CapturedValues) -> TokenLifetime { lifetime(captured, "", "access_token") }

  private func refreshLifetime(_ captured: CapturedValues) -> TokenLifetime { lifetime(captured, "refresh_", "refresh_token") }

  private func lifetime(_ captured: CapturedValues, _ prefix: String, _ token: String) -> TokenLifetime {
    let fields = captured.fields
    return TokenLifetime(
      seconds: fields["\(prefix)expires_in"], milliseconds: fields["\(prefix)expires_in_ms"],
      instant: fields["\(prefix)expires_at"],
      token: fields[token]?.string)
  }

  private func require(_ name: String, _ captured: CapturedValues, _ call: CallTemplate) throws(MissingValue) {
    guard captured.fields[name]?.string == nil else { return }
    let capture = call.requests.flatMap(\.captures).first { $0.name == name }
    throw MissingValue(name: name, place: capture?.place ?? call.place)
  }

  /// The values that the client requires, for a backend without them.
  private static func defaults(of call: CallName, _ members: [JSONTree.Member]) -> [JSONTree.Member] {
    func value(_ name: String) -> JSONTree? { members.first { $0.key == name }?.value }
    switch call {
    case .me where value("user_id") == nil && value("account_id") == nil:
      let name = value("email") ?? value("phone") ?? value("display_name") ?? "unknown"
      return [JSONTree.Member("user_id", name)]
    case .getCues where value("cues") == nil, .shuffleCues where value("cues") == nil: return [JSONTree.Member("cues", [])]
    default: return []
    }
  }
}
