import JSON
import Redaction

/// An archive to import as a recording: one that `ExportBundle` wrote, or another with one HAR file in it.
package struct RecordingArchive {
  /// The maximum number of unpacked bytes of the rows.
  private static let sizeLimit = 1 << 30
  /// The maximum number of bytes of each other document.
  private static let documentLimit = 4 << 20

  private let timeline: [UInt8]?
  /// The fault rules; nil if there are none.
  package let faults: [UInt8]?
  /// The versions; nil if there are none.
  package let versions: [UInt8]?

  private let archive: ZipArchive
  private let name: String

  /// Reads everything but the rows; throws `ImportError`.
  package init(_ file: some ByteSource) throws(ImportError) {
    do throws(ArchiveError) {
      guard ZipArchive.isZip(file) else { throw ArchiveError(.endsEarly) }
      let archive = try ZipArchive(file)
      func document(_ name: String) throws(ArchiveError) -> [UInt8]? {
        archive.names.contains(name) ? try archive.file(name, upTo: Self.documentLimit) : nil
      }
      let isOwn = archive.names.contains("rows.json")
      timeline = isOwn ? try document("timeline.json") : nil
      faults = isOwn ? try document("faults.json") : nil
      versions = isOwn ? try document("versions.json") : nil
      self.archive = archive
      name = isOwn ? "rows.json" : Self.har(in: archive) ?? ""
    } catch {
      throw ImportError(.archive(error))
    }
    guard !name.isEmpty else { throw ImportError(.noHAR) }
  }

  /// The entries of the timeline, none if there is no timeline; throws `ImportError` for entries in another form than
  /// Understudy's.
  package func entries() throws(ImportError) -> [TimelineEntry] {
    guard let timeline else { return [] }
    guard let entries = try? JSONCoding.decode([TimelineEntry].self, from: timeline) else {
      throw ImportError(.invalidDocument("timeline.json"))
    }
    return entries
  }

  /// Begins to read the rows, or the HAR of an archive that another program wrote.
  package func rows() throws(ArchiveError) -> ZipEntryReader { try archive.reader(of: name, upTo: Self.sizeLimit) }

  /// Returns a body that Playwright wrote next to its HAR, by name; nil for one that is missing or unreadable, or once
  /// `RecordedSession.sizeLimit` bytes were read in all.
  package var attachment: (String) -> [UInt8]? { Self.attachment(in: archive) }

  static func attachment(in archive: ZipArchive) -> (String) -> [UInt8]? {
    var left = RecordedSession.sizeLimit
    return { name in
      guard let body = try? archive.file(name, upTo: min(left, Redactor.maximumBodyBytes)) else { return nil }
      left -= body.count
      return body
    }
  }

  /// The name of the only HAR, or of the one that `ExportBundle` wrote.
  static func har(in archive: ZipArchive) -> String? {
    let names = archive.names.filter { $0.hasSuffix(".har") }
    return names.first { $0 == "session.har" } ?? (names.count == 1 ? names.first : nil)
  }
}
