import Text
import Vault
package import Redaction

/// The last check before an export is sent: searches every file for every live secret in every encoding.
package struct ExportScan: Sendable {
  /// The result of scanning a file.
  package struct Digest: Sendable, Equatable {
    /// The file's name.
    package let name: String
    /// SHA-256 in lower-case hexadecimal.
    package let sha256: String
    /// The size in bytes.
    package let byteCount: Int
  }

  /// A secret was found, so the export must not be sent.
  package struct Refusal: Error, Equatable, Sendable {
    /// The file that contains the secret.
    package let file: String
  }

  /// How many bytes are searched at a time, together with the end of the previous ones, because a secret may span two pieces.
  private static let chunk = 256 * 1024
  /// The longest form of a secret in bytes: a JSON Web Token, percent-encoded twice.
  private static let overlap = 16 * 1024

  private let matcher: SecretMatcher
  /// The number of secrets searched for.
  package let secretCount: Int

  /// Searches for the secrets known now, except those that are part of every export's own text.
  package init(registry: SecretRegistry) {
    let own = SecretRegistry.secrets(in: ExportVocabulary.bytes, registry.matcher(leavingOut: []), stopsAtFirst: false)
    matcher = registry.matcher(leavingOut: own)
    secretCount = registry.count
  }

  /// Produces and scans a file; throws `Refusal`, or `CancellationError` if the task is cancelled.
  package func digest(_ file: ExportFile) throws -> Digest {
    if holdsSecret(Array(file.name.utf8)) { throw Refusal(file: "") }
    let hash = SHA256Stream()
    var size = 0
    var buffer: [UInt8] = []
    var fresh = 0
    for index in 0..<file.pieceCount {
      let piece = file.piece(index)
      hash.update(piece)
      size += piece.count
      fresh += piece.count
      buffer += piece
      guard fresh >= Self.chunk else { continue }
      try Task.checkCancellation()
      if holdsSecret(buffer) { throw Refusal(file: file.name) }
      buffer.removeFirst(max(0, buffer.count - Self.overlap))
      fresh = 0
    }
    if fresh > 0, holdsSecret(buffer) { throw Refusal(file: file.name) }
    return Digest(name: file.name, sha256: Hex.encode(hash.finish()), byteCount: size)
  }

  /// Whether the bytes contain any of the secrets in any encoding.
  package func holdsSecret(_ bytes: [UInt8]) -> Bool {
    !SecretRegistry.secrets(in: bytes, matcher, stopsAtFirst: true).isEmpty
  }
}
