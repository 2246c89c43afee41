import Backend
import Console
import Explain
import HTTPTypes
import Observability
import Redaction

/// A file with recorded calls: an exported bundle or a HAR.
enum RecordingFile {
  /// Reads a file that a flag names; throws `StartFailure` (66) if it is missing, too large, or contains no answers.
  static func read(_ path: String, flag: String) throws(StartFailure) -> ReplayedRecording {
    let file = try open(path, name: "\(flag): \(path)")
    do throws(RecordingError) {
      return ReplayedRecording(
        exchanges: try RecordedSession(reading: file).exchanges.compactMap { ReplayedRecording.Exchange($0) })
    } catch {
      throw .inputMissing("\(flag): \(path) \(error.text)")
    }
  }

  /// Reads the attempts of a file without their secrets; throws `StartFailure` (66) if it is missing, too large, or no recording.
  static func attempts(_ path: String, _ redactor: Redactor) throws(StartFailure) -> [RecordedAttempt] {
    let file = try open(path, name: path)
    do throws(RecordingError) {
      return try RecordedSession.attempts(reading: file).map { $0.redacted(by: redactor) }
    } catch {
      throw .inputMissing("\(path) \(error.text)")
    }
  }

  /// Explains the end of the session in a file; throws `StartFailure` (66) if it is missing, too large, or no recording.
  static func explanation(_ path: String, calls: [NamedCall]) throws(StartFailure) -> Explanation {
    let file = try open(path, name: path, limit: EvidenceStore.importLimit)
    do throws(ImportError) {
      return try ExplainedRecording.explanation(of: file, calls: calls)
    } catch {
      throw .inputMissing("\(path): \(error.text)")
    }
  }

  private static func open(_ path: String, name: String, limit: Int = RecordedSession.sizeLimit) throws(StartFailure) -> FileBytes
  {
    guard let file = FileBytes(path: path) else { throw .inputMissing("\(name) cannot be read") }
    guard file.count <= limit else { throw .inputMissing("\(name) is larger than \(limit >> 20) MiB") }
    return file
  }
}

extension ReplayedRecording.Exchange {
  /// Converts an exchange for the backend, which does not import the log; nil if the method is not a token.
  fileprivate init?(_ exchange: RecordedExchange) {
    guard let method = HTTPRequest.Method(exchange.method) else { return nil }
    self.init(
      method: method, path: exchange.path, query: exchange.query, requestBody: exchange.requestBody,
      isAuthorized: exchange.isAuthorized, status: exchange.status, headers: exchange.headers, body: exchange.body)
  }
}
