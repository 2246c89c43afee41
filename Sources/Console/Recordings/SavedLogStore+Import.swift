package import JSON
package import Observability

extension SavedLogStore {
  /// The largest file that can be imported, in bytes.
  package static let importLimit = RecordingImport.sizeLimit

  /// Imports an archive or a HAR file as a recording; deletes the recording if reading fails.
  ///
  /// Every user of the console can read it. Throws `ImportError`, `StorageError`, or `Problem` if there are too many.
  /// - Returns: the recording's id, and the numbers of the entries without a readable request.
  package func importRecording(
    _ file: FileBytes, title: String, at now: Timestamp
  ) async throws -> (id: String, skippedEntries: [Int]) {
    let recording = RecordingImport(store: RecordingStore(store: self), title: title, at: now)
    do {
      if ZipArchive.isZip(file) {
        try await recording.add(archive: file) { _, _, _ in }
      } else {
        var next = 0
        while next < file.count {
          let piece = try file.read(at: next, min(RecordingImport.pieceSize, file.count - next))
          try await recording.add(piece)
          next += piece.count
        }
      }
      let made = try await recording.finish()
      return (made.id, made.skippedEntries ?? [])
    } catch {
      await recording.abandon()
      throw error
    }
  }

  /// The title for a file without one: its name without the end, cut to the length of a title.
  package static func importTitle(fileName: String) -> String {
    var name = fileName[...]
    for end in [".zip", ".har", ".json"] where name.count > end.count && name.lowercased().hasSuffix(end) {
      name = name.dropLast(end.count)
      break
    }
    var title = ""
    for letter in name {
      guard title.utf8.count + letter.utf8.count <= Recording.titleLimit else { break }
      title.append(letter)
    }
    return title.isEmpty ? "Import" : title
  }

  /// Whether a text can be a title.
  package static func isTitle(_ text: String) -> Bool { !text.isEmpty && text.utf8.count <= Recording.titleLimit }
}
