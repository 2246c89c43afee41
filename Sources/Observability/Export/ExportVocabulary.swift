import FoundationEssentials
import HTTPTypes
import JSON
import Redaction

/// The text that every export contains. A value that occurs in it is not treated as a secret, even if a backend declares it as
/// one.
///
/// Otherwise a backend could give a user a name that is a word of the format, and no export could be sent any more.
enum ExportVocabulary {
  /// A bundle of one example row, the copies of that row, and every word that a row can contain.
  static let bytes: [UInt8] = {
    guard let row else { return [] }
    let surroundings = ExportBundle.Surroundings(
      version: "", createdAt: Timestamp(Date()), backend: "", isEmbedded: true, session: "authenticated", dropped: 0,
      timeline: [],
      faults: [])
    let bundle = ExportBundle(selection: ExportSelection(rows: [row]), surroundings: surroundings)
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
        source: .fault, faultID: "a", error: "a", errorDetail: "a"))
    let drift = NetworkDrift(side: .request, pointer: "/a", expected: "a", got: "a", kind: .missing)
    log.setDrift([drift], count: 2, of: id)
    return log.detail(id: id)
  }
}
