import BackendFile
import Domain
import FoundationEssentials
import RPC

/// The meaning of a backend file's rules for the chain, in the place of the contract's statuses and codes.
extension FileReading {
  /// The effect of the failure on the session of a call with its access token; nil for none.
  func sessionStep(isReplay: Bool) -> UnauthorizedRules.Step? {
    guard case .word(let word)? = failure?.meaning else { return nil }
    switch word {
    case .expired: return isReplay ? .logout(.accessTokenRejected) : .refreshAndReplay
    case .ended: return .logout(.sessionEnded)
    case .reused: return .logout(.refreshTokenReused)
    case .wrong, .tooMany: return nil
    case .code(let code):
      return UnauthorizedRules.applies(status: 400, code: code) ? UnauthorizedRules.step(code: code, isReplay: isReplay) : nil
    }
  }

  /// Whether a rule states that the access token has expired, so that no other call can use it either.
  var rejectsAccessToken: Bool {
    guard let failure, failure.rule != nil, case .word(let word) = failure.meaning else { return false }
    if case .code(let code) = word { return UnauthorizedRules.rejectsAccessToken(code: code) }
    return word == .expired
  }

  /// Why the failure of a refresh ends the session; nil if it does not.
  var refusalOfRefresh: LogoutReason? {
    guard let failure, case .word(let word) = failure.meaning else { return nil }
    switch word {
    case .reused: return .refreshTokenReused
    case .ended:
      let code = failure.code.map { ForeignErrorCode.meaning(onRefresh: $0) ?? $0 }
      return UnauthorizedRules.logoutReason(onRefresh: 401, code: code, hasError: true, isPage: false) ?? .refreshRefused
    case .code(let code):
      // A code of the session ends it at any status; any other code means the same as the status.
      let status = Self.endings.contains(code) ? 401 : failure.status
      return UnauthorizedRules.logoutReason(onRefresh: status, code: code, hasError: true, isPage: false)
    case .expired, .wrong, .tooMany: return nil
    }
  }

  private static let endings: Set = [
    BackendErrorCode.refreshTokenExpired, BackendErrorCode.deviceNotRegistered, BackendErrorCode.refreshTokenReused,
    BackendErrorCode.invalidToken,
  ]

  /// The contract's code of the failure: that of a rule, else the backend's own if it is one; nil without one.
  var contractCode: String? {
    switch failure?.meaning {
    case .word(.code(let code)): code
    case .word(.tooMany): BackendErrorCode.tooManyAttempts
    case .word(.expired): BackendErrorCode.accessTokenExpired
    case .word: nil
    case .failed, nil: failure?.code.flatMap { code in BackendErrorCode.all.contains(code) ? code : nil }
    }
  }
}

extension AttemptFailure {
  /// The contract's status for the code of a rule, because callers decide by both; else the response's own.
  private static func status(of meaning: AnswerFailure.Meaning, _ status: Int) -> Int {
    guard case .word(.code(let code)) = meaning else { return status }
    return switch code {
    case BackendErrorCode.forbidden: 403
    case BackendErrorCode.notFound, BackendErrorCode.profileNotFound, BackendErrorCode.cueNotFound: 404
    case BackendErrorCode.conflict: 409
    case BackendErrorCode.tooManyAttempts: 429
    case BackendErrorCode.unavailable: 503
    case BackendErrorCode.internal: 500
    default: (400...499).contains(status) ? status : 400
    }
  }

  /// A failure by the rules of a backend file; `wall`, in Unix seconds, is when `retryAfterSeconds` started.
  init(_ failure: AnswerFailure, _ reading: FileReading, retryAfterSeconds: Int?, wall: Int64) {
    let status = failure.status
    let code = reading.contractCode
    switch failure.meaning {
    case .word(.tooMany):
      self.init(
        NetworkError(status: 429, code: nil, retryAfterSeconds: retryAfterSeconds, wall: wall),
        isTransient: RetryPlan.isRetryable(status: 429), retryAfterSeconds: retryAfterSeconds)
    // A wrong secret can have any status, so a 403 does not mean a rejected account here.
    case .word(.wrong): self.init(.rejected(status: 400, code: nil))
    case .word(.expired), .word(.ended), .word(.reused): self.init(.unauthorized)
    case .failed where status == 425: self.init(.timeout)
    case .word(.code), .failed:
      let status = Self.status(of: failure.meaning, status)
      self.init(
        NetworkError(status: status, code: code, retryAfterSeconds: retryAfterSeconds, wall: wall),
        isTransient: RetryPlan.isRetryable(status: status, code: code), retryAfterSeconds: retryAfterSeconds)
    }
  }
}
