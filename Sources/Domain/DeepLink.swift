/// What a magic link carries: the token to redeem and the `state` of the device that asked (seed 000 §4.2).
package struct DeepLink: Hashable, Sendable {
  package let token: String
  package let state: String?

  /// Makes a link of its parts; throws `AuthError.loginLinkInvalid` where the token has not the shape of one.
  ///
  /// A token is 20 to 512 characters of the base64url alphabet, a state at most 256 of it (seed 002 §7).
  package init(token: String, state: String?) throws(AuthError) {
    guard (20...512).contains(token.utf8.count), token.utf8.allSatisfy(Self.isTokenByte) else { throw .loginLinkInvalid }
    if let state {
      guard (1...256).contains(state.utf8.count), state.utf8.allSatisfy(Self.isTokenByte) else { throw .loginLinkInvalid }
    }
    self.token = token
    self.state = state
  }

  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "~"): true
    default: false
    }
  }
}
