import Vault

/// The signatures that were accepted, none of which is accepted again.
protocol SignatureReplays: Sendable {
  /// How many are stored.
  var count: Int { get }

  /// Stores a key whose nonce is valid at `now`; both are Unix seconds.
  func insert(_ key: SignatureKey, nonce: Int64, now: Int64) async throws -> SignatureOutcome
}

/// What became of a signature.
enum SignatureOutcome: Equatable, Sendable {
  case inserted
  case replayed
  /// As many are stored as may be; a later call may succeed.
  case full
}

/// A signature and its sender: the first 128 bits of a SHA-256 digest.
struct SignatureKey: Hashable, Sendable {
  private let high: UInt64
  private let low: UInt64

  /// As a database stores it.
  var bytes: [UInt8] { [high, low].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) } } }

  /// The sender is the access token if there is one, else the device if the call only reads, else nothing.
  init(signature: String, authorization: String?, isRead: Bool, deviceID: String?) {
    let sender = authorization.map { "token \($0)" } ?? (isRead ? "device \(deviceID ?? "")" : "")
    let digest = SHA256Digest.hash(Array("\(signature) \(sender)".utf8))
    func word(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    (high, low) = (word(digest.prefix(8)), word(digest.dropFirst(8).prefix(8)))
  }
}
