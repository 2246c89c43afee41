package import Observability
package import Redaction

/// A file with rows: a HAR file of any program, or an exported bundle.
package enum ImportedFile {
  /// Calls `take` with the rows of a file, redacted, in its order; throws `ImportError`, `ArchiveError` or the errors of `take`.
  /// - Returns: the numbers of the entries that have no readable request.
  package static func rows(
    of file: FileBytes, rules: RedactionRules, tagKey: [UInt8], _ take: (NetworkRowDetail) throws -> Void
  ) throws -> [Int] {
    // Every body can be compared: no row is kept, and no value is shown.
    var rows = ImportedRows(registry: SecretRegistry(tagKey: tagKey, rules: rules)) { _, path in
      EndpointTraits(name: path, isAuthentication: false, logsRequestBody: true, logsResponseBody: true)
    }
    if ZipArchive.isZip(file) {
      let archive = try RecordingArchive(file)
      rows.attachment = archive.attachment
      let reader = try archive.rows()
      while let piece = try reader.next() { try rows.add(piece).forEach(take) }
    } else {
      var next = 0
      while next < file.count {
        let piece = try file.read(at: next, min(RecordingImport.pieceSize, file.count - next))
        try rows.add(piece).forEach(take)
        next += piece.count
      }
    }
    try rows.finish().forEach(take)
    return rows.skipped
  }
}
