import Domain
import FoundationEssentials
import HTTPTypes
import JSON
import Observability
import OpenAPI
import Server
import Text
import Redaction

/// The routes that save recordings, and read them like the live log.
enum RecordingRoutes {
  private struct NewRecording: Decodable {
    let title: String
    let note: String?
    let ids: [String]?
    let workspace: String?
  }

  private struct Change: Decodable {
    let title: String?
    let note: String?
    let workspace: String?
  }

  private struct ListBody: Codable, SchemaProvider {
    let recordings: [Recording]
    static var schema: Schema { .recorded(from: Self.self) }
  }

  private struct TimelineBody: Codable, SchemaProvider {
    let entries: [TimelineEntry]
    static var schema: Schema { .recorded(from: Self.self) }
  }

  /// How many rows can be selected.
  private static let idLimit = 20_000

  static let routes =
    [
      ConsoleRoute(
        .post, "/api/recordings",
        Operation(
          "saveRecording", tag: "recordings", "Copies the log, or the rows with these ids, under a title.",
          request: .json(
            .request(NewRecording.self).refined(["title": .length(1...Recording.titleLimit), "ids": .count(0...idLimit)])),
          responses: [.json("Saved.", Recording.self, status: .created)]),
        codes: [.conflict, .notFound], .device { call, device in try await save(call, device) }),
      ConsoleRoute(
        .get, "/api/recordings",
        Operation("recordings", tag: "recordings", "All recordings.", responses: [.json("Newest first.", ListBody.self)]),
        .device { call, device in try .body(ListBody(recordings: try await store(device).list(try await call.recordingScope()))) }
      ),
      ConsoleRoute(
        .patch, "/api/recordings/{id}",
        Operation(
          "changeRecording", tag: "recordings", "Changes the title or the note, or moves a recording to a workspace.",
          request: .json(.request(Change.self).refined(["title": .length(1...Recording.titleLimit)])),
          responses: [.json("The recording.", Recording.self)]),
        codes: [.notFound, .conflict], .device { call, device in try await change(call, device) }),
      ConsoleRoute(
        .delete, "/api/recordings/{id}",
        Operation("deleteRecording", tag: "recordings", "Deletes a recording.", responses: [.noContent]), codes: [.notFound],
        .device { call, device in
          let (store, saved) = try await recording(call, device, for: .write)
          guard try await store.remove(saved) else { throw Problem.notFound }
          return .noContent
        }),
      ConsoleRoute(
        .get, "/api/recordings/{id}/network",
        Operation(
          "recordedRows", tag: "recordings", "The rows of a recording.", parameters: NetworkRoutes.filters,
          responses: [.json("Oldest first.", NetworkPage.self)]),
        codes: [.invalidRequest, .notFound],
        .device { call, device in
          let (store, saved) = try await recording(call, device)
          return .json(noStore: try await store.rows(of: saved, matching: call.networkFilter()).json)
        }),
      ConsoleRoute(
        .get, "/api/recordings/{id}/network/export",
        Operation(
          "exportRecording", tag: "recordings", "The rows of a recording as a zip bundle, HAR 1.2 or JSON.",
          parameters: ExportRoutes.parameters, responses: [ExportRoutes.file]),
        codes: [.invalidRequest, .notFound, .exportRefused, .tooManyAttempts],
        .device { call, device in try await export(call, device) }),
      ConsoleRoute(
        .get, "/api/recordings/{id}/network/{row}",
        Operation(
          "recordedRow", tag: "recordings", "One row of a recording with its messages.",
          responses: [.content("Redacted.", "application/json", NetworkRowDetail.schema)]),
        codes: [.notFound], .device { call, device in .json(noStore: try await attempt(call, device).json) }),
      ConsoleRoute(
        .get, "/api/recordings/{id}/timeline",
        Operation(
          "recordedTimeline", tag: "recordings", "The timeline of a recording.",
          responses: [.json("Oldest first.", TimelineBody.self)]),
        codes: [.notFound],
        .device { call, device in
          let (store, saved) = try await recording(call, device)
          return try .body(TimelineBody(entries: try await store.surroundings(of: saved).timeline))
        }),
    ] + RecordedFaultRoutes.routes + RecordingImportRoutes.routes
    + ExportRoutes.copies(at: "/api/recordings/{id}/network/{row}", ids: "recorded", tag: "recordings") { call, device in
      try await attempt(call, device)
    }

  /// The recordings; throws `Problem.savedLogUnavailable` if this console saves nothing.
  static func store(_ device: Device) throws -> RecordingStore {
    guard let store = device.savedLog?.store else { throw Problem.savedLogUnavailable }
    return RecordingStore(store: store)
  }

  /// The recording that a request names; throws `Problem`.
  static func recording(
    _ call: ConsoleCall, _ device: Device, for access: WorkspaceAccess = .read
  ) async throws -> (RecordingStore, SavedRecording) {
    let store = try store(device)
    let saved = try await store.recording(call.request.parameters["id"] ?? "")
    return (store, try await call.recordingScope().checked(saved, for: access))
  }

  private static func attempt(_ call: ConsoleCall, _ device: Device) async throws -> NetworkRowDetail {
    let (store, saved) = try await recording(call, device)
    guard let id = call.request.parameters["row"], let attempt = try await store.attempt(id, of: saved) else {
      throw Problem.notFound
    }
    return attempt
  }

  /// `POST /api/recordings`: saves the log as it is now.
  private static func save(_ call: ConsoleCall, _ device: Device) async throws -> Response {
    let body = try await call.body(NewRecording.self)
    let (title, note) = try (checkedTitle(body.title), checkedNote(body.note ?? ""))
    let workspace = try await call.recordingScope().target(body.workspace)
    guard let savedLog = device.savedLog else { throw Problem.savedLogUnavailable }
    await savedLog.flush()
    let around = try await device.surroundings()
    let recording = try await RecordingStore(store: savedLog.store).save(
      savedLog.owner, ids: body.ids.map { Set($0) },
      .init(
        about: RecordingAbout(
          title: device.masked(title), note: device.masked(note), deviceName: device.name, backendURL: around.backend,
          isEmbedded: around.isEmbedded, version: around.version, session: around.session, dropped: around.dropped,
          workspace: workspace, person: call.person?.id),
        timeline: around.timeline, faults: around.faults), at: around.createdAt
    ) { _ = try await call.recordingScope().target(workspace) }
    return try .body(recording, status: .created)
  }

  private static func change(_ call: ConsoleCall, _ device: Device) async throws -> Response {
    let body = try await call.body(Change.self)
    let (title, note) = try (
      body.title.map { device.masked(try checkedTitle($0)) }, body.note.map { device.masked(try checkedNote($0)) }
    )
    let (store, saved) = try await recording(call, device, for: .write)
    let workspace = if let named = body.workspace { try await call.recordingScope().target(named) } else { nil as String? }
    guard let recording = try await store.change(saved, title: title, note: note, workspace: workspace) else {
      throw Problem.notFound
    }
    return try .body(recording)
  }

  static func checkedTitle(_ text: String) throws(Problem) -> String {
    let text = text.trimmingWhitespace
    guard !text.isEmpty, text.utf8.count <= Recording.titleLimit else {
      throw .invalidRequest("A title has 1 to \(Recording.titleLimit) bytes.", field: "title")
    }
    return text
  }

  private static func checkedNote(_ text: String) throws(Problem) -> String {
    guard text.utf8.count <= Recording.noteLimit else {
      throw .invalidRequest("A note has at most \(Recording.noteLimit) bytes.", field: "note")
    }
    return text
  }

  /// `GET /api/recordings/{id}/network/export`: like that of the live log.
  private static func export(_ call: ConsoleCall, _ device: Device) async throws -> Response {
    let (store, saved) = try await recording(call, device)
    let format = try ExportRoutes.format(call)
    let ids = ExportRoutes.ids(call)
    let filter = try call.networkFilter()
    let selection = ExportSelection(
      rows: try await store.attempts(of: saved, matching: filter, ids: ids), isWhole: ids == nil && filter == NetworkFilter())
    let (timeline, faults) = try await store.surroundings(of: saved)
    let about = saved.about
    let around = ExportBundle.Surroundings(
      version: about.version, createdAt: Timestamp(device.time.wall()), backend: about.backendURL, isEmbedded: about.isEmbedded,
      session: about.session, dropped: about.dropped, timeline: timeline, faults: faults)
    return try await ExportRoutes.answer(device, format, around.createdAt) {
      ExportBundle(selection: selection, surroundings: around, viewer: format == .zip ? call.viewer : nil)
    }
  }
}

extension Device {
  /// A text that a person wrote, with the device's secrets masked.
  func masked(_ text: String) -> String { secrets.mask(text, context: .authentication).text }
}
