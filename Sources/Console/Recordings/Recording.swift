import JSON
import OpenAPI

/// A named copy of a log, as `GET /api/recordings` lists it.
struct Recording: Codable, Hashable, Sendable, SchemaProvider {
  /// The most bytes of a title.
  static let titleLimit = 200
  /// The most bytes of a note.
  static let noteLimit = 10_000

  let id: String
  var title: String
  var note: String
  let createdAt: Timestamp
  /// How many rows it has.
  let rows: Int
  /// How much it takes on disk.
  let bytes: Int
  /// The device that recorded the rows, or the program that wrote the imported file.
  let deviceName: String
  let backendURL: String
  /// The version of Understudy that recorded the rows; empty if another program did.
  let version: String
  /// The id of the workspace that it belongs to; missing if it belongs to everybody.
  var workspace: String?
  /// The numbers of a file's entries that were not imported because they have no readable request; only in the response to an
  /// import.
  var skippedEntries: [Int]?

  static var schema: Schema {
    .recorded(from: Self.self).refined(["id": .uuid, "rows": .minimum(0), "bytes": .minimum(0)]).named("Recording")
  }
}

/// A recording's saved data in addition to its rows, sealed.
struct RecordingAbout: Codable, Sendable {
  var title: String
  var note: String
  let deviceName: String
  let backendURL: String
  let isEmbedded: Bool
  let version: String
  /// The session's state when it was saved.
  let session: String
  /// How many rows the log had lost.
  let dropped: UInt64
  /// The id of the workspace that it belongs to; nil if it belongs to everybody.
  var workspace: String?
  /// The id of the person who made it; nil if no proxy named one.
  var person: String?
}
