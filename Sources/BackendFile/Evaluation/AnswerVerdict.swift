import JSON
import RPC

/// The meaning of a response for its call.
package enum AnswerVerdict: Hashable, Sendable {
  case success
  case failure(AnswerFailure)
}

/// Why a call failed, by the rules of the file or without one.
package struct AnswerFailure: Hashable, Sendable {
  package enum Meaning: Hashable, Sendable {
    case word(ErrorWord)
    /// The call failed, for a reason that concerns neither the session nor the user's typed values.
    case failed
  }

  package let meaning: Meaning
  package let status: Int
  /// The backend's own code.
  package let code: String?
  /// The backend's own text.
  package let message: String?
  /// The wait in seconds that the body asks for; a `Retry-After` of the header wins over it.
  package let wait: Double?
  /// The rule that decided; nil if none did.
  package let rule: FilePlace?
}

extension BackendDefinition {
  /// Classifies a response to a request of a call (contract 5.2, points 6 and 7).
  package func verdict(on answer: ReceivedAnswer, to request: RequestTemplate, of call: CallName) -> AnswerVerdict {
    let code = answer.root.flatMap { errorPlaces.code(in: $0) }
    let succeeded = request.success.map { answer.status == $0 } ?? (200...299).contains(answer.status)
    let rule = rule(for: answer, code, request, call, succeeded: succeeded)
    if succeeded, rule == nil { return .success }
    let meaning =
      rule.map { .word(has(.refreshTokens) || $0.word != .expired ? $0.word : .ended) } ?? meaning(of: answer, code, to: call)
    return .failure(
      AnswerFailure(
        meaning: meaning, status: answer.status, code: code, message: answer.root.flatMap { errorPlaces.message(in: $0) },
        wait: answer.root.flatMap { errorPlaces.wait(in: $0) }, rule: rule?.place))
  }

  /// The rule that decides: one of the request's own, else one of the file's; of several the narrowest, and of those the first.
  ///
  /// A status of success is an error only by a rule that names it and something of the body.
  private func rule(
    for answer: ReceivedAnswer, _ code: String?, _ request: RequestTemplate, _ call: CallName, succeeded: Bool
  ) -> ErrorRule? {
    for rules in [request.errors, errors] {
      let matching = rules.filter { rule in
        if succeeded, rule.match.narrowness < 2 { return false }
        return rule.word.counts(for: call) && rule.match.matches(answer, code: code)
      }
      let narrowest = matching.map(\.match.narrowness).max()
      if let rule = matching.first(where: { $0.match.narrowness == narrowest }) { return rule }
    }
    return nil
  }

  /// The meaning of an error that no rule matches.
  private func meaning(of answer: ReceivedAnswer, _ code: String?, to call: CallName) -> AnswerFailure.Meaning {
    switch answer.status {
    case 429: return .word(.tooMany)
    case 408, 425: return .failed
    case 400...499: break
    default: return .failed
    }
    // It concerns the clock.
    if code == BackendErrorCode.invalidSignature { return .failed }
    switch call.role {
    case .login, .request: return .word(.wrong)
    case .refresh: return isRefusedRefresh(answer) ? .word(.ended) : .failed
    case .signedIn where answer.status == 401: return .word(has(.refreshTokens) ? .expired : .ended)
    case .signedIn, .open: return .failed
    }
  }

  /// Whether the backend itself rejects the refresh token: a 401 that is not a proxy's page, and 400, 403, 410 and 422 with a
  /// JSON error. A wrong signature concerns the clock.
  private func isRefusedRefresh(_ answer: ReceivedAnswer) -> Bool {
    switch answer.status {
    case 401: !answer.isPage
    case 400, 403, 410, 422: answer.root.map { $0.count > 0 } == true
    default: false
    }
  }
}

extension ErrorWord {
  /// Whether a rule with this word counts for a call.
  fileprivate func counts(for call: CallName) -> Bool {
    switch call.role {
    case .signedIn: true
    case .refresh: self != .expired
    case .login, .request, .open: !isOfSession
    }
  }
}

extension ErrorRule.Match {
  fileprivate func matches(_ answer: ReceivedAnswer, code: String?) -> Bool {
    switch self {
    case .status(let status): answer.status == status
    case .code(let word): code == word
    case .statusAndCode(let status, let word): answer.status == status && code == word
    case .statusAndValue(let status, let value): answer.status == status && answer.root.map { value.matches($0) } == true
    }
  }
}
