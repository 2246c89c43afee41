package import Domain
import FoundationEssentials
import JSON
import Observability
import Storage

extension Problem {
  /// Translates any error of a handler; an unknown error is `internal_error`.
  package init(_ error: any Error) {
    self =
      switch error {
      case let problem as Problem: problem
      case let error as AuthError: Problem(error)
      case let error as AccountError: Problem(error)
      case let error as CueError: Problem(error)
      case let error as PersonError: Problem(error)
      case is ExportScan.Refusal: .exportRefused
      case is CancellationError: Problem(CallFailure.cancelled)
      case StorageError.fenced: .moved
      case DeviceAway.moved(let seconds): .moving(afterSeconds: seconds)
      case DeviceAway.unreachable: .moving(afterSeconds: 1)
      case StorageError.unreachable, StorageError.inDoubt, StorageError.conflict, StorageError.locked: .databaseAway
      case let error as StorageError where error.isStorageFault: .storageFull
      default: .internalError
      }
  }

  /// Translates a login failure.
  package init(_ error: AuthError) {
    self =
      switch error {
      case .invalidIdentifier:
        Problem(.invalidIdentifier, "This is not an email address or phone number.", field: "identifier")
      case .tooManyAttempts(let seconds):
        Problem(.tooManyAttempts, "The backend limits the attempts.", retryAfterSeconds: seconds)
      case .cooldown(let seconds): Problem(.cooldown, "This device asked a moment ago.", retryAfterSeconds: seconds)
      case .loginCodeInvalid: Problem(.loginCodeInvalid, "The code is wrong, used or expired.", field: "code")
      case .passwordInvalid: Problem(.passwordInvalid, "The identifier or the password is wrong.", field: "password")
      case .loginLinkInvalid: Problem(.loginLinkInvalid, "The link is malformed, used or expired.")
      case .linkIncomplete: Problem(.linkMalformed, "The link is incomplete.")
      case .linkUntrusted: Problem(.linkUntrusted, "The link leads to a host that is not trusted.")
      case .foreignState: Problem(.conflict, "The link was requested on another device.", field: "state")
      case .accountRefused: Problem(.accountRefused, "The backend does not let this account sign in.")
      case .requestRefused: Problem(.requestRefused, "The backend refuses the request.")
      case .featureDisabled: .featureDisabled
      case .sessionEnded: .sessionEnded
      case .storageFull: .storageFull
      case .failed(let failure): Problem(failure)
      }
  }

  /// Translates an account failure.
  package init(_ error: AccountError) {
    self =
      switch error {
      case .signedOut: .signedOut
      case .sessionEnded: .sessionEnded
      case .profileNotFound: .notFound
      case .unsupportedLanguage: .invalidRequest("The configuration does not list this language.", field: "language_code")
      case .confirmationMismatch:
        Problem(.confirmationMismatch, "The confirmation is not the expected word.", field: "confirmation")
      case .featureDisabled: .featureDisabled
      case .storageFull: .storageFull
      case .missingField: Problem(CallFailure.unexpectedPayload)
      case .failed(let failure): Problem(failure)
      case .outcomeUnknown(let failure): Problem(failure)
      }
  }

  /// Translates a failure about cues.
  package init(_ error: CueError) {
    self =
      switch error {
      case .signedOut: .signedOut
      case .sessionEnded: .sessionEnded
      case .cueNotFound, .profileNotFound: .notFound
      case .unknownStage: .invalidRequest("There is no such stage.", field: "stage")
      case .conflict: Problem(CallFailure.conflict)
      case .unsyncedEdits: Problem(.unsyncedEdits, "Edits that have not reached the backend would be lost.")
      case .storageFull: .storageFull
      case .failed(let failure): Problem(failure)
      }
  }

  /// Translates a rejection because of other people or their limits.
  package init(_ error: PersonError) {
    switch error {
    case .accountTaken(let name, let until, let seconds):
      self.init(.accountTaken, "Another person reserved this account.", retryAfterSeconds: seconds)
      detail = "Taken by \(name) until \(Timestamp(Date(timeIntervalSince1970: until)))."
    case .accountUnread:
      self.init(.accountTaken, "Somebody else may have taken this account.")
      detail = "The account could not be read, and others have taken accounts."
    case .tooManyAccounts(let limit): self.init(.tooManyAttempts, "This person has already taken \(limit) accounts.")
    case .tooManyWorkspaces(let limit): self.init(.tooManyAttempts, "This person has already made \(limit) workspaces.")
    case .tooManyLinks(let limit): self.init(.tooManyAttempts, "This workspace already has \(limit) links.")
    case .tooManyMembers(let limit): self.init(.tooManyAttempts, "This workspace already has \(limit) members.")
    }
  }

  /// Translates a failure of the network layer; a 401 of the backend never becomes the console's own.
  package init(_ failure: CallFailure) {
    self =
      switch failure {
      case .offline: Problem(.offline, "The backend cannot be reached.")
      case .timeout: Problem(.timeout, "The backend did not answer in time.")
      case .unavailable(let seconds): .backendWait(.unavailable, "The backend is not available.", seconds)
      case .cancelled: Problem(.unavailable, "The backend is not available.")
      case .rateLimited(let seconds): .backendWait(.tooManyAttempts, "The backend limits the attempts.", seconds)
      case .notFound: .notFound
      case .conflict: Problem(.conflict, "The backend has a newer version.")
      case .unexpectedPayload: Problem(.unexpectedPayload, "The backend's answer cannot be read.")
      case .pinMismatch: Problem(.pinMismatch, "The backend's key matches no pin.")
      case .tlsFailed: Problem(.tlsFailed, "The backend's certificate is not trusted.")
      case .signatureRejected: Problem(.signatureRejected, "The backend rejects the signature.")
      case .unauthorized, .forbidden, .backendError: Problem(.backendError, "The backend rejects the call.")
      }
  }

  /// A failure with the wait that the backend asked for, if it did.
  private static func backendWait(_ code: ProblemCode, _ title: String, _ seconds: Int?) -> Problem {
    Problem(code, title, retryAfterSeconds: seconds, reason: seconds == nil ? nil : .backendWait)
  }

  package static let featureDisabled = Problem(.featureDisabled, "The backend has disabled this feature.")
  package static let sessionEnded = Problem(.sessionEnded, "The session ended during the call.")
}

extension StorageError {
  /// Whether the database cannot be read or written now: its disk is full or read-only, or the file is broken.
  fileprivate var isStorageFault: Bool {
    switch self {
    case .full, .unusable, .damaged: true
    default: false
    }
  }
}
