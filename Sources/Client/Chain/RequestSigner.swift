package import HTTPTypes
import RPC
import Vault

/// Signs attempts (contract §3, seed 004).
package struct RequestSigner: Sendable {
  private let apiID: String
  private let key: [UInt8]
  private let clock: ServerClock

  /// Makes a signer; nil without an id or a secret.
  package init?(apiID: String?, apiSecret: String?, clock: ServerClock) {
    guard let apiID, !apiID.isEmpty, let apiSecret, !apiSecret.isEmpty else { return nil }
    self.apiID = apiID
    key = Array(apiSecret.utf8)
    self.clock = clock
  }

  /// Adds the three fields over the bytes that go out; `path` as on the wire, without the query.
  ///
  /// `skew` is how far a fault has put the client's clock ahead, in seconds.
  package func sign(
    _ headers: inout HTTPFields, method: HTTPRequest.Method, path: String, body: [UInt8]?, skew: Int64 = 0
  ) {
    let nonce = String(clock.seconds(skew: skew))
    let text = SignedText.bytes(apiID: apiID, method: method.rawValue, path: path, body: body ?? [], nonce: nonce)
    headers[.apiID] = apiID
    headers[.nonce] = nonce
    headers[.signature] = Hex.encode(HMAC.sha256(text, key: key))
  }
}

extension HTTPField.Name {
  /// `X-Request-ID`.
  static let requestID = named(BackendHeader.requestID)
  /// `X-Device-ID`.
  static let deviceID = named(BackendHeader.deviceID)
  /// `Idempotency-Key`.
  static let idempotencyKey = named(BackendHeader.idempotencyKey)
  /// `X-Api-Id`.
  static let apiID = named(BackendHeader.apiID)
  /// `X-Nonce`.
  static let nonce = named(BackendHeader.nonce)
  /// `X-Signature`.
  static let signature = named(BackendHeader.signature)

  private static func named(_ name: String) -> HTTPField.Name {
    guard let name = HTTPField.Name(name) else { preconditionFailure("a constant that is no field name") }
    return name
  }
}
