import Console
import Reactor
import Text
import Vault

/// A console's access rules, decided at its start.
struct ConsoleAccess {
  /// The access token; nil if the console needs none.
  let token: String?
  /// The token if it was generated, for the ready line; nil for the content of an operator's file, which is never printed.
  let generatedToken: String?
  /// Whether even the owner needs the token.
  let isTokenNeeded: Bool
  let localUsers: AccessControl.LocalUsers

  /// A console with people creates no token, because the token would belong to no person.
  ///
  /// On a console for this machine only, its user and root need no token, if the system can identify the connecting user.
  init(_ settings: ServeSettings) {
    let tellsUsers = settings.isLocal && PeerUser.isAvailable
    let owners: Set<UInt32> = tellsUsers ? [PeerUser.ownUser, 0] : []
    isTokenNeeded = !tellsUsers
    generatedToken =
      isTokenNeeded && settings.accessToken == nil && settings.persons == nil ? Base64URL.encode(SecureRandom.bytes(24)) : nil
    token = settings.accessToken ?? generatedToken
    localUsers =
      switch (settings.isLocal, settings.allowLocalUsers) {
      case (false, _): .none
      case (true, true): .everybody(owners: owners)
      case (true, false): .owners(owners)
      }
  }
}
