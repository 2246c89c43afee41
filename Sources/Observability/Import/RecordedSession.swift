/// The calls of a file that another program, or this one, has recorded.
package struct RecordedSession: Sendable {
  /// The largest file, and the largest HAR within an archive, in bytes.
  package static let sizeLimit = 128 << 20

  /// The calls that a backend responded to, in the order in which they were made.
  package let exchanges: [RecordedExchange]

  /// Reads a bundle that `ExportBundle` wrote, another zip archive with one HAR file in it, or a HAR file.
  ///
  /// Throws `RecordingError` if the file is neither, or contains no responses.
  package init(reading file: some ByteSource) throws(RecordingError) {
    let (har, attachment) = try Self.har(in: file)
    exchanges = try HARReader.exchanges(in: har, attachment: attachment)
  }

  /// Reads the same files as ``init(reading:)``, and returns every attempt, in the order in which they were made.
  package static func attempts(reading file: some ByteSource) throws(RecordingError) -> [RecordedAttempt] {
    let (har, attachment) = try har(in: file)
    return try HARReader.attempts(in: har, attachment: attachment)
  }

  /// The HAR of a file, and the files next to it in an archive.
  private static func har(in file: some ByteSource) throws(RecordingError) -> ([UInt8], attachment: (String) -> [UInt8]?) {
    guard file.count <= sizeLimit else { throw .tooLarge }
    do throws(ArchiveError) {
      guard ZipArchive.isZip(file) else { return (try file.read(at: 0, file.count), { _ in nil }) }
      let archive = try ZipArchive(file)
      if let name = RecordingArchive.har(in: archive) {
        return (try archive.file(name, upTo: sizeLimit), RecordingArchive.attachment(in: archive))
      }
    } catch {
      throw .archive(error)
    }
    throw .noHAR
  }
}

/// A call of a recording and its response.
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
  /// No entry has a response that could be repeated.
  case noAnswers
  /// No entry has a readable request.
  case noRequests
  /// More bytes, files or entries than can be read.
  case tooLarge
  /// An archive that is damaged, hostile or not supported.
  case archive(ArchiveError)
  /// A file in an encoding that must be removed first, such as `UTF-16`.
  case encoding(String)

  /// The error, as a text that follows the file's name.
  package var text: String {
    switch self {
    case .unknownFormat: "is neither a zip archive nor a HAR file"
    case .notHAR: "is JSON, but not a HAR file"
    case .noHAR: "is a zip archive without a HAR file, or with several"
    case .noEntries: "is a HAR file without entries"
    case .noAnswers: "contains no answers"
    case .noRequests: "is a HAR file whose entries have no readable request"
    case .tooLarge:
      "is too large: at most \(RecordedSession.sizeLimit >> 20) MiB, unpacked too, and a limited number of entries and values"
    case .archive(let error): error.text
    case .encoding(let name): "is in \(name): unpack or save it as UTF-8 first"
    }
  }
}
