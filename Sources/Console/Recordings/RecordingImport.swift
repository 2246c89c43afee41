import Client
import FoundationEssentials
import HTTPTypes
import JSON
import Observability
import Redaction
import RPC
import Server
import Vault

/// A running import: takes a file in pieces, or an archive, and writes its rows into a recording.
actor RecordingImport {
  /// The route.
  static let path = "/api/recordings/import"
  /// The largest file in bytes.
  static let sizeLimit = 256 << 20
  /// How much is read at a time.
  static let pieceSize = 256 << 10
  /// How many rows are written in one transaction.
  private static let stride = 256

  private let store: RecordingStore
  private let title: String?
  private let workspace: String?
  private let person: String?
  private let now: Timestamp
  private let redactor: Redactor
  private var rows: ImportedRows
  private var recording: OpenRecording?
  private var waiting: [NetworkRowDetail] = []
  /// The exported archive's data in addition to its rows.
  private var timeline: [TimelineEntry] = []
  private var faults: [FaultBody] = []
  private var versions: JSONNode?

  /// An import into a workspace, by a person, if the console has people.
  init(store: RecordingStore, title: String?, workspace: String? = nil, person: String? = nil, at now: Timestamp) {
    self.store = store
    self.title = title
    self.workspace = workspace
    self.person = person
    self.now = now
    // With a key of its own: an equal tag would claim that a secret equals one of the device's.
    let registry = SecretRegistry(tagKey: SecureRandom.bytes(32), rules: store.store.redactionRules)
    redactor = Redactor(registry: registry)
    rows = ImportedRows(registry: registry, traits: RecordingImport.traits)
  }

  /// // Messages of Understudy's own calls are shown as in the live log; other messages are redacted.
  private static let traits: ImportedRows.Traits = { method, path in
    let bodies = HTTPRequest.Method(method).flatMap { EndpointCatalogue.endpoint($0, path: path) }?.loggableBodies
    // The refresh token is masked by its name; its tag shows whether two refreshes sent the same one.
    let isRefresh = [AuthEndpoints.RefreshTokens.path, AuthEndpoints.AppRefreshToken.path].contains(path)
    return EndpointTraits(
      name: path, isAuthentication: AuthEndpoints.all.contains { $0.path == path },
      logsRequestBody: isRefresh || bodies?.contains(.request) ?? true,
      logsResponseBody: bodies.map { !$0.isDisjoint(with: [.response, .maskedResponse]) } ?? true,
      masksResponseValues: bodies?.contains(.maskedResponse) ?? false)
  }

  /// Takes the next piece of a HAR, or of exported rows; throws `ImportError`.
  func add(_ piece: [UInt8]) async throws { try await write(rows.add(piece)) }

  /// Reads an archive to its end; `read` receives the bytes read, their total, and the number of rows.
  ///
  /// Throws `ImportError`.
  func add(archive file: some ByteSource & Sendable, read: @Sendable (Int, Int, Int) -> Void) async throws {
    let archive = try RecordingArchive(file)
    versions = try archive.versions.map { bytes throws(ImportError) in try Self.document(bytes, "versions.json") }
    timeline = try archive.entries().map { $0.masked { rows.masked($0) } }
    faults = try archive.faults.map { try Self.rules($0, redactor) } ?? []
    rows.attachment = archive.attachment
    do {
      let reader = try archive.rows()
      read(0, reader.size, 0)
      while let piece = try reader.next() {
        try Task.checkCancellation()
        try await write(rows.add(piece))
        read(reader.made, reader.size, rows.count)
      }
    } catch let error as ArchiveError {
      throw ImportError(.archive(error))
    }
  }

  private static func document(_ bytes: [UInt8], _ name: String) throws(ImportError) -> JSONNode {
    guard let root = try? JSONDocument(parsing: bytes).root else { throw ImportError(.invalidDocument(name)) }
    return root
  }

  /// The rules of `faults.json`, redacted like those of a live log; leaves out kinds that only a later version has.
  private static func rules(_ bytes: [UInt8], _ redactor: Redactor) throws(ImportError) -> [FaultBody] {
    let list = try document(bytes, "faults.json")
    let known = list.elements.filter { rule in
      rule["action"]?["kind"]?.string.map { FaultKind(rawValue: String($0)) != nil } ?? true
    }
    let text = "[\(known.map(\.sourceText).joined(separator: ","))]"
    guard list.kind == .array, known.count <= FaultPlan.limit,
      let rules = try? JSONCoding.decode([FaultBody].self, from: Array(text.utf8), keys: .snakeCase)
    else { throw ImportError(.invalidDocument("faults.json")) }
    return rules.map { $0.imported(by: redactor) }
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
      dropped: UInt64(clamping: versions?["dropped"]?.int64 ?? 0), workspace: workspace, person: person)
    let rules = try JSONCoding.encode(faults, keys: .snakeCase)
    let begun = try await store.begin(.init(about: about, timeline: timeline, faults: rules), at: now)
    recording = begun
    return begun
  }

  /// Ends the file and makes the recording visible, unless `check` throws, which is called last; throws `ImportError`.
  func finish(check: @Sendable () async throws -> Void = {}) async throws -> Recording {
    waiting += try rows.finish()
    try await flush()
    let recording = try await begun()
    try await check()
    var made = try await store.complete(recording)
    if !rows.skipped.isEmpty { made.skippedEntries = rows.skipped }
    return made
  }

  /// Deletes the written rows.
  func abandon() async {
    if let recording { await store.abandon(recording) }
  }

  /// The response to a failed import.
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
