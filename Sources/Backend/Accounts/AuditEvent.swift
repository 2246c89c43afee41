import Logging

/// Something that happened to an account or session, for the log that is kept of such things.
struct AuditEvent: Equatable, Sendable {
  /// What happened; the raw values are the log's words.
  enum Kind: String, Sendable, CaseIterable {
    case accountCreated = "account_created"
    case login
    case loginRefused = "login_refused"
    case sendLimited = "send_limited"
    case refreshed
    case refreshRepeated = "refresh_repeated"
    case refreshRefused = "refresh_refused"
    case refreshReused = "refresh_reused"
    case loggedOut = "logged_out"
    case profileCreated = "profile_created"
    case deletionRequested = "deletion_requested"
    case accountDeleted = "account_deleted"
  }

  /// What happened.
  let kind: Kind
  /// Whose account; nil where nobody is known.
  var accountID: String?
  /// Which session; the log shows its first 8 characters.
  var sessionID: String?
}

/// Writes events to a log of their own, without identifiers, tokens, links or codes.
struct AuditLog: Sendable {
  /// Where they go.
  let log: Logger

  /// The log's label.
  static let label = "backend.audit"

  /// Writes one event; a token used twice is a warning.
  func record(_ event: AuditEvent) {
    var metadata: Logger.Metadata = ["event": "\(event.kind.rawValue)"]
    if let account = event.accountID { metadata["account"] = "\(account)" }
    if let session = event.sessionID { metadata["session"] = "\(session.prefix(8))" }
    log.log(level: event.kind == .refreshReused ? .warning : .info, "\(event.kind.rawValue)", metadata: metadata)
  }

  /// Writes the events of an answer.
  func record(_ events: [AuditEvent]) { for event in events { record(event) } }
}
