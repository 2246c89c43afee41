/// Who may sign in.
package enum RegistrationMode: String, Sendable, CaseIterable {
  /// Any valid identifier; its first sign-in creates the account.
  case open
  /// Only identifiers that have an account; others get the same answer but no message.
  case closed
}
