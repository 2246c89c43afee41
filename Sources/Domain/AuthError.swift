/// Why a login step failed (seed-rules A-52 "codes become").
package enum AuthError: Error, Hashable, Sendable {
  /// The identifier is neither an email address nor a phone number.
  case invalidIdentifier
  /// The backend's limit was reached; seconds to wait, if the backend named them.
  case tooManyAttempts(retryAfterSeconds: Int?)
  /// This device's cooldown is running, so no call was made; seconds to wait.
  case cooldown(retryAfterSeconds: Int)
  /// The code is wrong, used or expired.
  case loginCodeInvalid
  /// The identifier or the password is wrong.
  case passwordInvalid
  /// The link is malformed, used or expired.
  case loginLinkInvalid
  /// A part of the link is missing, as when it was copied.
  case linkIncomplete
  /// The host of the link is not trusted.
  case linkUntrusted
  /// The link has a `state` that this device did not create.
  case foreignState
  /// The backend does not let this account sign in.
  case accountRefused
  /// The backend rejected the request for a message, for another reason.
  case requestRefused
  /// The backend has disabled this way to sign in.
  case featureDisabled
  /// The session ended during the call.
  case sessionEnded
  /// The tokens could not be stored, so the user is not signed in.
  case storageFull
  /// Another failure of the network or the backend.
  case failed(CallFailure)
}
