import FoundationEssentials
import HTTPTypes
import JSON
import Observability
import RPC
import Server
import Vault

/// An import that is under way: takes a file in pieces and writes its rows into a recording.
actor RecordingImport {
  /// The route.
  static let path = "/api/recordings/import"
  /// The largest file in bytes.
  static let sizeLimit = 256 << 20
  /// The largest archive in bytes, which is unpacked in memory.
  static let archiveLimit = 48 << 20
  /// How much is read at a time.
  static let pieceSize = 256 << 10
  /// How many rows are written in one transaction.
  private static let stride = 256

  private let store: RecordingStore
  private let title: String?
  private let now: Timestamp
  /// With a key of its own: an equal tag would claim that a secret equals one of the device's.
  private var rows = ImportedRows(registry: SecretRegistry(tagKey: SecureRandom.bytes(32)), traits: RecordingImport.traits)
  private var archive: [UInt8]?
  private var recording: OpenRecording?
  private var waiting: [NetworkRowDetail] = []
  /// What an exported archive says beside its rows.
  private var timeline: [TimelineEntry] = []
  private var versions: JSONNode?

  init(store: RecordingStore, title: String?, at now: Timestamp, isArchive: Bool) {
    (self.store, self.title, self.now) = (store, title, now)
    archive = isArchive ? [] : nil
  }

  /// What the messages of an endpoint may show: those of Understudy's own calls as in the live log, those of others redacted.
  private static let traits: ImportedRows.Traits = { method, path in
    let bodies = HTTPRequest.Method(method).flatMap { EndpointCatalogue.endpoint($0, path: path) }?.loggableBodies
    return EndpointTraits(
      name: path, isAuthentication: AuthEndpoints.all.contains { $0.path == path },
      logsRequestBody: bodies?.contains(.request) ?? true,
      logsResponseBody: bodies.map { !$0.isDisjoint(with: [.response, .maskedResponse]) } ?? true,
      masksResponseValues: bodies?.contains(.maskedResponse) ?? false)
  }

  /// Takes the next piece of the file; throws `ImportError`.
  func add(_ piece: [UInt8]) async throws {
    guard archive == nil else {
      guard (archive?.count ?? 0) + piece.count <= Self.archiveLimit else { throw ImportError(.archive(.tooLarge)) }
      archive?.append(contentsOf: piece)
      return
    }
    try await write(rows.add(piece))
  }

  private func write(_ more: [NetworkRowDetail]) async throws {
    waiting += more
    if waiting.count >= Self.stride { try await flush() }
  }

  private func flush() async throws {
    let batch = waiting
    waiting = []
    let recording = try await begun()
    try await store.add(batch, to: recording)
  }

  private func begun() async throws -> OpenRecording {
    if let recording { return recording }
    func word(_ name: String) -> String? { versions?[name]?.string.map { rows.masked(String($0.prefix(200))) } }
    let creator = rows.creator ?? word("understudy").map { "Understudy \($0)" }
    let about = RecordingAbout(
      title: title ?? creator ?? "Import", note: "", deviceName: creator ?? "",
      backendURL: word("backend") ?? rows.origin ?? "", isEmbedded: versions?["embedded"]?.bool ?? false,
      version: word("understudy") ?? "", session: word("session") ?? "",
      dropped: UInt64(clamping: versions?["dropped"]?.int64 ?? 0))
    let begun = try await store.begin(.init(about: about, timeline: timeline, faults: Array("[]".utf8)), at: now)
    recording = begun
    return begun
  }

  /// Ends the file and makes the recording visible; throws `ImportError`.
  func finish() async throws -> Recording {
    if let archive {
      self.archive = []
      let documents = try RecordedSession.documents(inArchive: archive)
      let content = documents.rows
      versions = documents.versions.flatMap { try? JSONDocument(parsing: $0) }?.root
      timeline = documents.timeline.flatMap { try? JSONCoding.decode([TimelineEntry].self, from: $0) } ?? []
      timeline = timeline.map { entry in entry.maskingName { rows.masked($0) } }
      var next = 0
      while next < content.count {
        let end = min(next + Self.pieceSize, content.count)
        try await write(rows.add(content[next..<end]))
        next = end
      }
    }
    try rows.finish()
    try await flush()
    return try await store.complete(try await begun())
  }

  /// Removes what was written.
  func abandon() async {
    if let recording { await store.abandon(recording) }
  }

  /// The answer to a failed import.
  static func problem(_ error: any Error) -> any Error {
    switch error {
    case let error as ImportError:
      var problem = Problem(.invalidRecording, "The file is no recording.")
      problem.detail = error.text
      return problem
    case let error as BodyError:
      switch error {
      case .tooLarge: return Problem.payloadTooLarge
      case .overBudget: return Problem.bodiesOverBudget
      case .disconnected, .malformed, .timedOut: return Problem.invalidRequest("The body did not arrive completely.")
      }
    default: return error
    }
  }
}
