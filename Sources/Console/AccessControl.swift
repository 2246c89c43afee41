import HTTPTypes
package import Server
import Vault

/// Who may use a console that listens beyond loopback: whoever showed its access token once (contract §2.2).
package struct AccessControl: Sendable {
  private let token: [UInt8]?
  private let cookieName: String
  private let cookieValue: String

  /// Makes the control of a console; `nil` lets everybody in who passes the gate.
  package init(token: String?, cookieName: String) {
    self.token = token.map { Array($0.utf8) }
    self.cookieName = "\(cookieName)_access"
    // Derived, so that it needs no store, outlives a restart with the same token, and ends with the token.
    cookieValue = token.map { Base64URL.encode(HMAC.sha256(Array("understudy access".utf8), key: Array($0.utf8))) } ?? ""
  }

  /// Whether a token is asked for.
  package var isGuarded: Bool { token != nil }

  /// Whether the request carries access.
  package func admits(_ request: Request) -> Bool {
    guard token != nil else { return true }
    guard let cookie = request.cookie(cookieName) else { return false }
    return constantTimeEquals(Array(cookie.utf8), Array(cookieValue.utf8))
  }

  /// Whether the request shows the token itself, as `Authorization: Bearer`, where one is asked for; for machines.
  package func admitsBearer(_ request: Request) -> Bool {
    guard let token else { return true }
    let fields = request.headers[values: .authorization]
    guard fields.count == 1, let field = fields.first, field.lowercased().hasPrefix("bearer ") else { return false }
    return constantTimeEquals(SHA256Digest.hash(Array(field.utf8.dropFirst(7))), SHA256Digest.hash(token))
  }

  /// The name and value of the access cookie for the token; nil where it is not the console's.
  package func cookie(forToken candidate: String) -> (name: String, value: String)? {
    guard let token, constantTimeEquals(SHA256Digest.hash(Array(candidate.utf8)), SHA256Digest.hash(token)) else { return nil }
    return (cookieName, cookieValue)
  }
}
