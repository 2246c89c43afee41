import Text

/// The content of a magic link: the token to redeem and the `state` of the device that requested it (seed-rules N-61 "deep link
/// parser").
package struct DeepLink: Hashable, Sendable {
  /// How many characters a token may have.
  static let tokenLengths = 20...512

  package let token: String
  package let state: String?

  /// Creates a link; throws `AuthError.loginLinkInvalid` unless the token has 20 to 512 unreserved characters and the state, if
  /// any, 1 to 256 (RFC 3986 §2.3; seed-rules A-18 "expected length", A-63 "token of a link is checked").
  package init(token: String, state: String?) throws(AuthError) {
    guard Self.tokenLengths.contains(token.utf8.count), token.utf8.allSatisfy(PercentCoding.isUnreserved) else {
      throw .loginLinkInvalid
    }
    if let state {
      guard (1...256).contains(state.utf8.count), state.utf8.allSatisfy(PercentCoding.isUnreserved) else {
        throw .loginLinkInvalid
      }
    }
    self.token = token
    self.state = state
  }
}
