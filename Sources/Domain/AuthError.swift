/// Why a login step failed, in the terms of the feature (seed 002 §5).
package enum AuthError: Error, Hashable, Sendable {
  /// The identifier is neither an e-mail address nor a phone number.
  case invalidIdentifier
  /// The backend's limit; seconds to wait, where it said so.
  case tooManyAttempts(retryAfterSeconds: Int?)
  /// This device asked a moment ago; seconds to wait. No call was made.
  case cooldown(retryAfterSeconds: Int)
  /// The code is wrong, used or expired.
  case loginCodeInvalid
  /// The link is malformed, used or expired.
  case loginLinkInvalid
  /// The link does not lead to a host that the app trusts.
  case linkUntrusted
  /// The link carries a `state` that this device did not make.
  case foreignState
  /// The backend switched this way of signing in off.
  case featureDisabled
  /// The session ended while the call was under way.
  case sessionEnded
  /// Tokens could not be written, so the sign-in was not kept.
  case storageFull
  /// Anything of the network or the backend that is not of this feature.
  case failed(CallFailure)
}

/// Why an account call failed, in the terms of the feature (seed 002 §5).
package enum AccountError: Error, Hashable, Sendable {
  /// Nobody is signed in.
  case signedOut
  /// The session ended while the call was under way.
  case sessionEnded
  /// The backend no longer knows the profile.
  case profileNotFound
  /// The configuration names no such language, or the text is no language code.
  case unsupportedLanguage
  /// What was typed to confirm is not the word.
  case confirmationMismatch
  /// The backend switched this feature off.
  case featureDisabled
  /// A choice could not be written.
  case storageFull
  /// The backend left a field out, which was filled from the configuration; logged, never thrown (seed 002 §3.2).
  case missingField(MissingField)
  /// The request may have been carried out, but its answer did not arrive; why it did not.
  case outcomeUnknown(CallFailure)
  /// Anything of the network or the backend that is not of this feature.
  case failed(CallFailure)
}

/// A field of the account that a backend may leave out and that has a default (seed 002 §3.2).
package enum MissingField: String, CaseIterable, CustomStringConvertible, Sendable {
  case activeProfileID = "active_profile_id"
  case profiles

  /// The field's name, as the log of an `AccountError.missingField` shows it.
  package var description: String { rawValue }
}

/// A failure of the network layer as the features see it: coarse, without statuses or technical text (seed 002 §5).
package enum CallFailure: Error, Hashable, Sendable {
  case offline
  case timeout
  case unavailable
  case rateLimited(retryAfterSeconds: Int?)
  case forbidden
  case notFound
  case conflict
  case unexpectedPayload
  case pinMismatch
  case tlsFailed
  case signatureRejected
  case unauthorized
  case cancelled
  case backendError
}
