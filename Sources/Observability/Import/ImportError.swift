/// Why a file cannot be imported.
package struct ImportError: Error, Equatable, Sendable {
  package enum Reason: Equatable, Sendable {
    case notJSON, endsEarly, notHAR, elementTooLarge, tooManyRows, noRows
    /// A file whose entries have no readable request.
    case noRequests
    /// A row of Understudy's own format that contradicts itself or the one before.
    case invalidRow
    /// A number that no row can have, and its field.
    case invalidNumber(String)
    case archive(ArchiveError)
    /// A document of an archive in another form than Understudy exports.
    case invalidDocument(String)
    /// An archive without rows, and without exactly one HAR.
    case noHAR
    /// A file in an encoding that must be removed first, such as `UTF-16`.
    case encoding(String)
  }

  package let reason: Reason
  /// The line at fault, from 1; nil if the fault concerns the whole file.
  package let line: Int?

  package init(_ reason: Reason, line: Int? = nil) {
    self.reason = reason
    self.line = line
  }

  /// The error, as a sentence for a person.
  package var text: String {
    let what =
      switch reason {
      case .notJSON: "this is not JSON."
      case .endsEarly: "the file ends too early."
      case .notHAR: "this is neither a HAR file nor rows of Understudy."
      case .elementTooLarge: "an entry has more than \(JSONElements.elementLimit >> 20) MiB."
      case .tooManyRows: "the file has more than \(ImportedRows.limit) entries."
      case .noRows: "the file has no entries."
      case .noRequests: "no entry of the file has a readable request."
      case .invalidRow: "this row is damaged, or its number is not greater than the one before."
      case .invalidNumber(let member): "\(member) has a number that is negative or too large."
      case .archive(let error): "the file \(error.text)."
      case .invalidDocument(let name): "its \(name) is damaged."
      case .noHAR: "the file \(RecordingError.noHAR.text)."
      case .encoding(let name): "the file \(RecordingError.encoding(name).text)."
      }
    guard let line else { return what.prefix(1).uppercased() + what.dropFirst() }
    return "Line \(line): \(what)"
  }
}
