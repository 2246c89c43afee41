import Text
import Vault

/// The last look at an export before a byte of it leaves: every file is made once and searched for every live secret in every encoding.
package struct ExportScan: Sendable {
  /// A file that was looked through.
  package struct Digest: Sendable, Equatable {
    /// The file's name.
    package let name: String
    /// SHA-256 in lower-case hexadecimal.
    package let sha256: String
    /// Its size.
    package let byteCount: Int
  }

  /// What was found: the export must not leave.
  package struct Refusal: Error, Equatable, Sendable {
    /// The file that holds a secret.
    package let file: String
  }

  /// How much is searched at a time; what stood before is searched again, as a secret may lie across two pieces.
  private static let chunk = 256 * 1024
  /// The longest form that a secret takes: a JSON web token, percent-encoded twice.
  private static let overlap = 16 * 1024

  private let matcher: SecretMatcher
  /// How many secrets were searched for.
  package let secretCount: Int

  /// A look for the secrets that are known now, but for those that every export says.
  package init(registry: SecretRegistry) {
    let own = SecretRegistry.secrets(in: ExportVocabulary.bytes, registry.matcher(leavingOut: []), stopsAtFirst: false)
    matcher = registry.matcher(leavingOut: own)
    secretCount = registry.count
  }

  /// Makes a file and looks through it; throws `Refusal`, or `CancellationError` when the task is given up.
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

  /// Whether any of the secrets stands in the bytes, in whatever encoding.
  package func holdsSecret(_ bytes: [UInt8]) -> Bool {
    !SecretRegistry.secrets(in: bytes, matcher, stopsAtFirst: true).isEmpty
  }
}
