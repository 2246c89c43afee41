import Logging

/// Something that happened to an account or session.
struct AuditEvent: Equatable, Sendable {
  /// The kind of event; the raw values appear in the log.
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

  let kind: Kind
  /// The account; nil if unknown.
  var accountID: String?
  /// The session; the log contains the first 8 characters.
  var sessionID: String?
}

/// Logs audit events, without identifiers, tokens, links or codes.
struct AccountAuditLog: Sendable {
  let log: Logger

  static let label = "backend.audit"

  /// Logs an event; the reuse of a refresh token is a warning.
  func record(_ event: AuditEvent) {
    var metadata: Logger.Metadata = ["event": "\(event.kind.rawValue)"]
    if let account = event.accountID { metadata["account"] = "\(account)" }
    if let session = event.sessionID { metadata["session"] = "\(session.prefix(8))" }
    log.log(level: event.kind == .refreshReused ? .warning : .info, "\(event.kind.rawValue)", metadata: metadata)
  }
}
