import HTTPTypes
import Reactor
package import Server
import Text
import Vault

/// Access rules: on this machine the user who runs the console and root need no token; every other caller shows the access token
/// once.
package struct AccessControl: Sendable {
  /// A caller's permissions.
  package enum AccessLevel: Sendable {
    /// Open the pages only.
    case pagesOnly
    /// Everything except changes that affect all devices.
    case guest
    /// Everything.
    case owner
  }

  /// The users of this machine who need no token.
  package enum LocalUsers: Sendable {
    /// None: browsers on other machines can connect, or the users of connections are unknown.
    case none
    /// These users, as owners.
    case owners(Set<UInt32>)
    /// All local users; these users are owners.
    case everybody(owners: Set<UInt32>)
  }

  private let token: [UInt8]?
  private let cookie: BrowserCookie
  private let cookieValue: String
  private let owners: Set<UInt32>
  private let servesGuests: Bool

  package init(token: String?, cookie: BrowserCookie, localUsers: LocalUsers) {
    self.token = token.map { Array($0.utf8) }
    self.cookie = cookie
    // Derived from the token, so that it needs no storage, survives a restart with the same token, and ends with the token.
    cookieValue = token.map { Base64URL.encode(HMAC.sha256(Array("understudy access".utf8), key: Array($0.utf8))) } ?? ""
    (owners, servesGuests) =
      switch localUsers {
      case .none: ([], false)
      case .owners(let owners): (owners, false)
      case .everybody(let owners): (owners, true)
      }
  }

  /// Whether there is a token to show.
  package var isGuarded: Bool { token != nil }

  /// Returns the sender's permissions; must be called on the connection's event loop.
  package func accessLevel(of request: Request) -> AccessLevel {
    if !owners.isEmpty, request.peer.isLoopback, let user = request.peerUser, owners.contains(user) { return .owner }
    if carriesCookie(request) { return .owner }
    return servesGuests && request.peer.isLoopback ? .guest : .pagesOnly
  }

  /// Whether the request shows the token itself, as `Authorization: Bearer`; for machines.
  package func admitsBearer(_ request: Request) -> Bool {
    guard let token else { return false }
    let fields = request.headers[values: .authorization]
    guard fields.count == 1, let field = fields.first, field.lowercased().hasPrefix("bearer ") else { return false }
    return constantTimeEquals(SHA256Digest.hash(Array(field.utf8.dropFirst(7))), SHA256Digest.hash(token))
  }

  /// The name and value of the access cookie for the token; nil if it is not the console's.
  package func cookie(forToken candidate: String) -> (name: String, value: String)? {
    guard let token, constantTimeEquals(SHA256Digest.hash(candidate), SHA256Digest.hash(token)) else { return nil }
    return (cookie.accessName, cookieValue)
  }

  private func carriesCookie(_ request: Request) -> Bool {
    guard token != nil else { return false }
    return cookie.accessValues(of: request).contains { constantTimeEquals(Array($0.utf8), Array(cookieValue.utf8)) }
  }
}
