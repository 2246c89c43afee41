package import HTTPTypes
import RPC
import Text
import Vault

/// Signs attempts with HMAC-SHA256 (seed-rules C-3 to C-8).
package struct RequestSigner: Sendable {
  private let apiID: String
  private let key: [UInt8]
  private let clock: ServerClock
  private let used: UsedNonces

  /// Creates a signer; nil without an id or a secret.
  package init?(apiID: String?, apiSecret: String?, clock: ServerClock, used: UsedNonces = UsedNonces()) {
    guard let apiID, !apiID.isEmpty, let apiSecret, !apiSecret.isEmpty else { return nil }
    self.apiID = apiID
    key = Array(apiSecret.utf8)
    self.clock = clock
    self.used = used
  }

  /// Adds the three header fields, signed over the bytes to send; `path` is as sent, without the query.
  ///
  /// No signature is sent twice with the same `Authorization`, which `headers` must contain already (see ``UsedNonces``).
  /// `skew` is the clock skew of a fault rule, in seconds.
  package func sign(
    _ headers: inout HTTPFields, method: HTTPRequest.Method, path: String, body: [UInt8]?, skew: Int64 = 0
  ) {
    let now = clock.seconds
    let (nonce, signature) = used.take(near: clock.seconds(skew: skew), now: now, token: headers[.authorization]) { nonce in
      HMAC.sha256(
        SignedText.bytes(apiID: apiID, method: method.rawValue, path: path, body: body ?? [], nonce: String(nonce)), key: key)
    }
    headers[.apiID] = apiID
    headers[.nonce] = String(nonce)
    headers[.signature] = Hex.encode(signature)
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
    guard let name = HTTPField.Name(name) else { preconditionFailure("invalid header name") }
    return name
  }
}
