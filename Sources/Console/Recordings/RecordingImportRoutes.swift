import Domain
import FoundationEssentials
import HTTPTypes
import JSON
import OpenAPI
import Server

/// The routes that import a file as a recording.
enum RecordingImportRoutes {
  static let routes = [
    ConsoleRoute(
      .post, RecordingImport.path,
      Operation(
        "importRecording", tag: "recordings",
        "Makes a recording of an exported zip, of its rows.json, or of a HAR 1.2 of any program. It passes redaction.",
        parameters: [
          .query("title", "The title; the name of the program that wrote the file by default."),
          .query("workspace", "The id of the workspace; the caller's own by default, on a console that knows persons."),
          .query("key", "A UUID under which the progress of a zip can be asked for."),
        ],
        request: .file(["application/zip", "application/json"]),
        responses: [.json("Imported.", Recording.self, status: .created)]),
      codes: [.invalidRecording, .conflict, .tooManyAttempts, .notFound],
      .device { call, device in try await importFile(call, device) }),
    ConsoleRoute(
      .get, RecordingImport.path,
      Operation(
        "importProgress", tag: "recordings", "How far the import of a zip is; all 0 before it begins and after it has ended.",
        parameters: [.query("key", "The UUID that was sent with the zip.")],
        responses: [.json("Under way.", ImportProgress.self)]),
      .device { call, device in
        // No error for an unknown import: it has ended, or its request is still on its way.
        let progress = try call.query("key").flatMap { try RecordingRoutes.store(device).store.imports.progress($0) }
        return try .body(progress ?? ImportProgress())
      }),
  ]

  /// `POST /api/recordings/import`: keeps no part of a file that cannot be read to its end.
  private static func importFile(_ call: ConsoleCall, _ device: Device) async throws -> Response {
    let title = try call.query("title").map { device.masked(try RecordingRoutes.checkedTitle($0)) }
    let workspace = try await call.recordingScope().target(call.query("workspace"))
    let store = try RecordingRoutes.store(device)
    let file = RecordingImport(
      store: store, title: title, workspace: workspace, person: call.person?.id, at: Timestamp(device.time.wall()))
    do {
      if call.request.headers[.contentType] == "application/zip" {
        try await addArchive(call, to: file, store.store)
      } else {
        try await call.request.body.read(upTo: RecordingImport.sizeLimit, inPiecesOf: RecordingImport.pieceSize) { piece in
          // Off the event loop.
          try await Task.detached(priority: .utility) { try await file.add(piece) }.value
        }
      }
      // The upload took time: a person who was removed from the workspace meanwhile adds nothing to it.
      let recording = try await Task.detached(priority: .utility) {
        try await file.finish { _ = try await call.recordingScope().target(workspace) }
      }.value
      return try .body(recording, status: .created)
    } catch {
      await file.abandon()
      throw RecordingImport.problem(error)
    }
  }

  /// Keeps an archive on the disk, because its directory is at its end, and reads it from there.
  private static func addArchive(_ call: ConsoleCall, to file: RecordingImport, _ store: SavedLogStore) async throws {
    let key = call.query("key").flatMap { UUID(uuidString: $0) == nil ? nil : $0 } ?? UUID().uuidString
    guard store.imports.begin(key) else { throw Problem.tooManyAtOnce }
    defer { store.imports.end(key) }
    let spool = try SealedSpool(folder: store.folder)
    try await call.request.body.read(upTo: RecordingImport.sizeLimit, inPiecesOf: RecordingImport.pieceSize) { piece in
      try await Task.detached(priority: .utility) { try spool.append(piece) }.value
    }
    try await Task.detached(priority: .utility) {
      try await file.add(archive: spool) { read, size, rows in
        store.imports.change(key) { ($0.read, $0.size, $0.rows) = (read, size, rows) }
      }
    }.value
  }
}
