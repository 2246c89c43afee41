import Client
import Domain
import JSON

/// The text of an error in a report: a stable identifier, with details that help a person.
enum ErrorText {
  /// The text of any error; identifies no user.
  static func describe(_ error: any Error) -> String {
    switch error {
    case CheckStop.failed(let reason), CheckStop.skipped(let reason): reason
    case NetworkError.rejected(let status, let code): "\(status) \(code ?? "without a code")"
    case NetworkError.server(let status, _): "server_error \(status)"
    case NetworkError.unexpectedPayload(let mismatch): "unexpected_payload: \(mismatch)"
    case let error as NetworkError: error.backendCode ?? error.word
    case AuthError.failed(let failure), AccountError.failed(let failure), CueError.failed(let failure): describe(failure)
    case AccountError.outcomeUnknown(let failure): "\(describe(failure)), outcome unknown"
    case AccountError.missingField(let field): "\(field) is missing"
    case CueError.unsyncedEdits(let count): "\(caseName(error)): \(count)"
    case AuthError.tooManyAttempts(let seconds?), AuthError.cooldown(let seconds), CallFailure.rateLimited(let seconds?):
      "\(caseName(error)), \(seconds) s to wait"
    case is AuthError, is AccountError, is CueError, is CallFailure: caseName(error)
    case is CancellationError: "cancelled"
    // The text of an unknown error could quote a secret.
    default: "an error of type \(type(of: error))"
    }
  }

  /// The name of an enumeration's case in snake_case.
  private static func caseName(_ error: any Error) -> String {
    SnakeCase.member(Mirror(reflecting: error).children.first?.label ?? "\(error)")
  }

  /// The outcome of a refresh.
  static func describe(_ outcome: RefreshOutcome) -> String {
    switch outcome {
    case .refreshed: "refreshed"
    case .failed(let error): describe(error)
    case .ended: "session_ended"
    case .cancelled: "cancelled"
    case .timedOut: "timeout"
    }
  }
}
