import FoundationEssentials
import HTTPTypes
import JSON
package import Redaction
import Text
import Vault

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

  /// Produces and scans a file; throws `Refusal`, or `CancellationError` if the task is canceled.
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
      if file.constantPieces.contains(index) { continue }
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

/// The text that every export contains. A value that occurs in it is not treated as a secret, even if a backend declares it as
/// one.
///
/// Otherwise, a backend could give a user a name that is a word of the format, and block every export.
enum ExportVocabulary {
  /// A bundle of one example row, the copies of that row, and every word that a row can contain.
  static let bytes: [UInt8] = {
    guard let row else { return [] }
    let surroundings = ExportBundle.Surroundings(
      version: "", createdAt: Timestamp(Date()), backend: "", isEmbedded: true, session: "authenticated", dropped: 0,
      timeline: [],
      faults: [])
    let bundle = ExportBundle(
      selection: ExportSelection(rows: [row]), surroundings: surroundings, viewer: ViewerPage(Array(ViewerPage.place.utf8)))
    let copies = [CurlCommand(row).text, SwiftSnippet.text(row), MarkdownReport.text(row), words.joined(separator: " ")]
    var bytes = Array(copies.joined(separator: "\n").utf8)
    for file in bundle.files {
      bytes += Array("\n\(file.name)\n".utf8)
      for index in 0..<file.pieceCount { bytes += file.piece(index) }
    }
    return bytes
  }()

  private static let words =
    NetworkRow.State.allCases.map(\.rawValue) + NetworkRow.Source.allCases.map(\.rawValue)
    + SecretKind.allCases.map(\.rawValue) + Redaction.Place.allCases.map(\.rawValue) + BodyNote.allCases.map(\.rawValue)
    + NetworkDrift.Side.allCases.map(\.rawValue) + NetworkDrift.Kind.allCases.map(\.rawValue)

  private static var row: NetworkRowDetail? {
    let log = NetworkLog(capacity: 1, bodyBytes: 1024, registry: SecretRegistry(tagKey: [])) { _ in }
    let request = RawRequest(
      method: .post, origin: "https://localhost", path: "/", query: "a=b",
      endpoint: EndpointTraits(name: "a", isAuthentication: false, logsRequestBody: true, logsResponseBody: true),
      headers: [("Content-Type", "application/json"), ("Authorization", "Bearer a")], body: Array("{}".utf8))
    let id = log.begin(request, of: AttemptOrigin(callID: "a", flowID: "a", flow: "a", startedAt: Date()))
    let response = RawResponse(status: 200, headers: [("Content-Type", "application/json")], body: Array("{}".utf8))
    log.finish(
      id,
      with: RawExchange(
        request: request, response: response, timings: NetworkTimings(send: 1, wait: 1, receive: 1, total: 3), state: .failure,
        source: .fault, faultID: "a", fault: RowFault(name: "a", action: "a", preset: "a"), error: "a", errorDetail: "a"))
    let drift = NetworkDrift(side: .request, pointer: "/a", expected: "a", got: "a", kind: .missing)
    log.setDrift([drift], count: 2, of: id)
    return log.detail(id: id)
  }
}
