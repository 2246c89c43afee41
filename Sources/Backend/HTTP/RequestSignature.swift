import HTTPTypes
import JSON
import RPC
import Text
import Vault

/// Verifies the signature of a request (seed-rules C-3 to C-8 "Signing").
struct RequestSignature: Sendable {
  /// The only accepted `X-Api-Id`.
  let apiID: String
  /// The HMAC key.
  let secret: String

  /// Throws `invalid_signature` if id, nonce or signature is wrong.
  ///
  /// `systemTime` is the time of the machine, not of the backend's clock. Comparisons take constant time.
  func check(_ head: CallHead, body: [UInt8], systemTime: Timestamp) throws {
    guard let apiID = head.fields[.apiID], let nonce = head.fields[.nonce], let signature = head.fields[.signature],
      let sent = Self.seconds(nonce)
    else { throw BackendFailure.invalidSignature }
    let text = SignedText.bytes(apiID: apiID, method: head.method.rawValue, path: head.path, body: body, nonce: nonce)
    let expected = Hex.encode(HMAC.sha256(text, key: Array(secret.utf8)))
    let isSigned = constantTimeEquals(Array(expected.utf8), Array(signature.utf8))
    let isKnown = constantTimeEquals(Array(self.apiID.utf8), Array(apiID.utf8))
    let distance = (systemTime.milliseconds - sent * 1000).magnitude
    guard isSigned, isKnown, distance <= UInt64(Lifetimes.signatureWindow * 1000) else { throw BackendFailure.invalidSignature }
  }

  /// Parses Unix seconds of 1 to 11 digits, which cannot overflow.
  private static func seconds(_ nonce: String) -> Int64? {
    guard (1...11).contains(nonce.utf8.count) else { return nil }
    var value: Int64 = 0
    for byte in nonce.utf8 {
      guard ASCII.isDigit(byte) else { return nil }
      value = value * 10 + Int64(byte - UInt8(ascii: "0"))
    }
    return value
  }
}
