import HTTPTypes
import JSON
import RPC
import Text
import Vault

/// The check of a call's signature (contract §3, seed 004).
struct RequestSignature: Sendable {
  /// The only id that is accepted.
  let apiID: String
  /// The key of the signatures.
  let secret: String
  /// The signatures that were used.
  let memory = SignatureMemory()

  /// Throws `invalid_signature` unless id, nonce and signature are those of this call and were not used before, `unavailable` if no
  /// more uses can be remembered; `real` is the machine's instant, not the backend's. What is compared is compared in constant time.
  func check(_ head: CallHead, body: [UInt8], real: Timestamp) throws(BackendFailure) {
    guard let apiID = head.fields[.apiID], let nonce = head.fields[.nonce], let signature = head.fields[.signature],
      let sent = Self.seconds(nonce)
    else { throw .invalidSignature }
    let text = SignedText.bytes(apiID: apiID, method: head.method.rawValue, path: head.path, body: body, nonce: nonce)
    let expected = Hex.encode(HMAC.sha256(text, key: Array(secret.utf8)))
    let isSigned = constantTimeEquals(Array(expected.utf8), Array(signature.utf8))
    let isKnown = constantTimeEquals(Array(self.apiID.utf8), Array(apiID.utf8))
    let distance = (real.milliseconds - sent * 1000).magnitude
    guard isSigned, isKnown, distance <= UInt64(Lifetimes.signatureWindow * 1000) else { throw .invalidSignature }
    let key = SignatureMemory.Key(
      signature: signature, authorization: head.fields[.authorization], isRead: head.method == .get || head.method == .head,
      deviceID: head.fields[.deviceID])
    switch memory.take(key, nonce: sent, now: real.milliseconds / 1000) {
    case .fresh: return
    case .repeated: throw .invalidSignature
    case .full: throw .unavailable
    }
  }

  /// Unix seconds of 1 to 11 digits, so that no number of a caller's overflows.
  private static func seconds(_ nonce: String) -> Int64? {
    guard (1...11).contains(nonce.utf8.count) else { return nil }
    var value: Int64 = 0
    for byte in nonce.utf8 {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      value = value * 10 + Int64(byte - UInt8(ascii: "0"))
    }
    return value
  }
}
