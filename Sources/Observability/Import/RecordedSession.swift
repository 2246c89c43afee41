/// The calls of a file that another program, or this one, has recorded.
package struct RecordedSession: Sendable {
  /// The largest file, and the largest HAR within an archive, in bytes.
  package static let sizeLimit = 128 << 20

  /// The calls that a backend answered, in the order in which they were made.
  package let exchanges: [RecordedExchange]

  /// Reads a bundle that `ExportBundle` wrote, another zip archive with one HAR file in it, or a HAR file.
  ///
  /// Throws `RecordingError` if the file is neither, or contains no answers.
  package init(reading bytes: [UInt8]) throws(RecordingError) {
    exchanges = try HARReader.exchanges(in: Self.har(in: bytes))
  }

  /// Reads the same files as ``init(reading:)``, and returns every attempt, in the order in which they were made.
  package static func attempts(reading bytes: [UInt8]) throws(RecordingError) -> [RecordedAttempt] {
    try HARReader.attempts(in: har(in: bytes))
  }

  /// The documents of an exported archive.
  package struct Documents: Sendable {
    /// The rows, or the HAR of an archive that another program wrote.
    package let rows: [UInt8]
    /// The timeline; nil if there is none.
    package let timeline: [UInt8]?
    /// The versions; nil if there are none.
    package let versions: [UInt8]?
  }

  /// Reads the documents of an archive; throws `ImportError`.
  package static func documents(inArchive bytes: [UInt8]) throws(ImportError) -> Documents {
    do throws(RecordingError) {
      guard ZipArchive.isZip(bytes) else { throw .damagedArchive }
      let archive = try ZipArchive(bytes)
      guard archive.names.contains("rows.json") else { return Documents(rows: try har(in: bytes), timeline: nil, versions: nil) }
      func file(_ name: String) throws(RecordingError) -> [UInt8]? {
        archive.names.contains(name) ? try archive.file(name, upTo: 4 << 20) : nil
      }
      return Documents(
        rows: try archive.file("rows.json", upTo: sizeLimit), timeline: try file("timeline.json"),
        versions: try file("versions.json"))
    } catch {
      throw ImportError(.archive(error))
    }
  }

  private static func har(in bytes: [UInt8]) throws(RecordingError) -> [UInt8] {
    guard bytes.count <= sizeLimit else { throw .tooLarge }
    guard ZipArchive.isZip(bytes) else { return bytes }
    let archive = try ZipArchive(bytes)
    let names = archive.names.filter { $0.hasSuffix(".har") }
    guard let name = names.first(where: { $0 == "session.har" }) ?? (names.count == 1 ? names.first : nil) else {
      throw .noHAR
    }
    return try archive.file(name, upTo: sizeLimit)
  }
}

/// A call of a recording and its answer.
package struct RecordedExchange: Equatable, Sendable {
  package let method: String
  /// As sent, without the query; never empty.
  package let path: String
  /// As sent, without the `?`.
  package let query: String?
  /// nil if there was none, or if it was not recorded.
  package let requestBody: [UInt8]?
  /// Whether the request had an `Authorization` field.
  package let isAuthorized: Bool
  /// 200 to 599.
  package let status: Int
  /// The header lines in the order sent; names and values are not checked.
  package let headers: [(name: String, value: String)]
  /// Without content coding.
  package let body: [UInt8]

  package static func == (left: RecordedExchange, right: RecordedExchange) -> Bool {
    left.method == right.method && left.path == right.path && left.query == right.query
      && left.requestBody == right.requestBody && left.isAuthorized == right.isAuthorized && left.status == right.status
      && left.headers.elementsEqual(right.headers, by: ==) && left.body == right.body
  }
}

/// Why a recording cannot be used.
package enum RecordingError: Error, Equatable, Sendable {
  /// Neither a zip archive nor JSON.
  case unknownFormat
  /// JSON, but not a HAR.
  case notHAR
  /// An archive without a HAR, or with several.
  case noHAR
  /// A HAR without entries.
  case noEntries
  /// No entry has an answer that could be repeated.
  case noAnswers
  /// More bytes, files or entries than can be read.
  case tooLarge
  /// An archive that ends early, contradicts itself or fails its checksum.
  case damagedArchive
  /// An archive with encryption, ZIP64 or another compression than deflate.
  case unsupportedArchive

  /// What is wrong with the file, to follow its name.
  package var text: String {
    switch self {
    case .unknownFormat: "is neither a zip archive nor a HAR file"
    case .notHAR: "is JSON, but not a HAR file"
    case .noHAR: "is a zip archive without a HAR file, or with several"
    case .noEntries: "is a HAR file without entries"
    case .noAnswers: "contains no answers"
    case .tooLarge:
      "is too large: at most \(RecordedSession.sizeLimit >> 20) MiB, unpacked too, and a limited number of entries and values"
    case .damagedArchive: "is a damaged zip archive"
    case .unsupportedArchive: "is a zip archive with encryption, ZIP64 or an unknown compression"
    }
  }
}
