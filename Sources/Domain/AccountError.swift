/// Why an account call failed (seed-rules A-52 "codes become").
package enum AccountError: Error, Hashable, Sendable {
  /// No user is signed in.
  case signedOut
  /// The session ended during the call.
  case sessionEnded
  /// The profile does not exist.
  case profileNotFound
  /// The configuration does not contain the language, or the text is not a language code.
  case unsupportedLanguage
  /// The confirmation is not the expected word.
  case confirmationMismatch
  /// The backend has disabled this feature.
  case featureDisabled
  /// A preference could not be stored.
  case storageFull
  /// The backend omitted a field, which was filled from the configuration; logged, never thrown (seed-rules A-35 "Missing fields
  /// are logged").
  case missingField(MissingField)
  /// The response was lost, so the request may or may not have taken effect; contains the cause.
  case outcomeUnknown(CallFailure)
  /// Another failure of the network or the backend.
  case failed(CallFailure)
}

/// A field of the account that a backend may omit and that has a default (seed-rules A-34 "configuration's defaults").
package enum MissingField: String, CaseIterable, CustomStringConvertible, Sendable {
  case activeProfileID = "active_profile_id"
  case profiles

  /// The field's name, as the log shows it.
  package var description: String { rawValue }
}
