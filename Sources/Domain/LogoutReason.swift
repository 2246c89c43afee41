/// Why a session ended; the console and the timeline show the raw value.
package enum LogoutReason: String, Hashable, Sendable {
  case user
  case refreshTokenExpired = "refresh_token_expired"
  case deviceNotRegistered = "device_not_registered"
  case refreshTokenReused = "refresh_token_reused"
  case invalidToken = "invalid_token"
  case accessTokenRejected = "access_token_rejected"
  /// The user requested the deletion of the account, and it is scheduled.
  case accountDeletion = "account_deletion"
  case vaultDamaged = "vault_damaged"
}
