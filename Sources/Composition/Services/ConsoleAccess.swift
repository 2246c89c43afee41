import Console
import Reactor
import Text
import Vault

/// Who is let into a console, settled at its start.
struct ConsoleAccess {
  /// The token that is asked for; nil if nobody is told one.
  let token: String?
  /// Whether the ready line shows the token: its owner needs it too.
  let isTokenNeeded: Bool
  let localUsers: AccessControl.LocalUsers

  /// On a console of this machine alone its user and root need no token, if the machine tells who calls.
  init(_ settings: ServeSettings) {
    let tellsUsers = settings.isLocal && PeerUser.isAvailable
    let owners: Set<UInt32> = tellsUsers ? [PeerUser.ownUser, 0] : []
    isTokenNeeded = !tellsUsers
    token = settings.accessToken ?? (isTokenNeeded ? Base64URL.encode(SecureRandom.bytes(24)) : nil)
    localUsers =
      switch (settings.isLocal, settings.allowsLocalUsers) {
      case (false, _): .none
      case (true, true): .everybody(owners: owners)
      case (true, false): .owners(owners)
      }
  }
}
