package import HTTPTypes
import RPC
import Text
import Vault

/// Signs attempts with HMAC-SHA256 (seed-rules C-3 to C-8 "Signing").
package struct RequestSigner: Sendable {
  private let apiID: String
  private let key: [UInt8]
  private let clock: ServerClock

  /// Creates a signer; nil without an id or a secret.
  package init?(apiID: String?, apiSecret: String?, clock: ServerClock) {
    guard let apiID, !apiID.isEmpty, let apiSecret, !apiSecret.isEmpty else { return nil }
    self.apiID = apiID
    key = Array(apiSecret.utf8)
    self.clock = clock
  }

  /// Adds the three header fields, signed over the bytes to send; `path` is as sent, without the query. The nonce is the time on the
  /// backend's clock, in Unix seconds.
  ///
  /// `skew` is the clock skew of a fault rule, in seconds.
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
