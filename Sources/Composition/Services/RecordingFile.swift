import Backend
import Console
import Explain
import HTTPTypes
import Observability
import Redaction

/// A file with recorded calls: an exported bundle or a HAR.
enum RecordingFile {
  /// Reads a file that a flag names; throws `StartFailure` (66) if it is missing, too large, or contains no responses.
  static func read(_ path: String, flag: String) throws(StartFailure) -> ReplayedRecording {
    let file = try open(path, name: "\(flag): \(path)")
    do throws(RecordingError) {
      return ReplayedRecording(
        exchanges: try RecordedSession(reading: file).exchanges.compactMap { ReplayedRecording.Exchange($0) })
    } catch {
      throw .inputMissing("\(flag): \(path) \(error.text)")
    }
  }

  /// Reads the attempts of a file without their secrets; throws `StartFailure` (66) if it is missing, too large, or not a
  /// recording.
  static func attempts(_ path: String, _ redactor: Redactor) throws(StartFailure) -> [RecordedAttempt] {
    let file = try open(path, name: path)
    do throws(RecordingError) {
      return try RecordedSession.attempts(reading: file).map { $0.redacted(by: redactor) }
    } catch {
      throw .inputMissing("\(path) \(error.text)")
    }
  }

  /// Explains the end of the session in a file; throws `StartFailure` (66) if it is missing, too large, or not a recording.
  static func explanation(_ path: String, calls: [NamedCall]) throws(StartFailure) -> Explanation {
    let file = try open(path, name: path, limit: SavedLogStore.importLimit)
    do throws(ImportError) {
      return try ExplainedRecording.explanation(of: file, calls: calls)
    } catch {
      throw .inputMissing("\(path): \(error.text)")
    }
  }

  /// The backend file that a recorded session suggests; throws `StartFailure` (66) if the file is missing, too large, or not a
  /// recording, or if it shows no sign-in.
  static func draft(_ path: String) throws(StartFailure) -> String {
    let file = try open(path, name: path, limit: SavedLogStore.importLimit)
    var explainer = Explainer()
    var kept: [Int: Exchange] = [:]
    let calls: [SessionCall]
    do throws(ImportError) {
      _ = try RecordedExchanges.read(file) { explainer.add($0) }
      calls = Self.near(explainer.calls())
      // The engine keeps no values, so the relevant requests are read again.
      let numbers = Set(calls.map(\.number))
      _ = try RecordedExchanges.read(file) { if numbers.contains($0.number) { kept[$0.number] = $0 } }
    } catch {
      throw .inputMissing("\(path): \(error.text)")
    }
    guard var draft = BackendFileDraft(calls.compactMap { call in kept[call.number].flatMap { DraftExchange($0, call) } }) else {
      throw .inputMissing("\(path): shows no sign-in that returned a token or a session's cookie")
    }
    return draft.text(file: path)
  }

  /// The requests of a log that a draft needs: named calls, and some requests before a sign-in or with its session.
  private static func near(_ calls: [SessionCall]) -> [SessionCall] {
    let signIns = calls.indices.filter { calls[$0].kind == .signIn && calls[$0].isGranted }.prefix(10)
    let sessions = Set(signIns.compactMap { calls[$0].session })
    var left: [NamedCall.Kind: Int] = [.refresh: 100, .signOut: 20, .signInRequest: 200, .other: 1000]
    return calls.indices.filter { index in
      let call = calls[index]
      if signIns.contains(where: { $0 - 60 <= index && index <= $0 }) { return true }
      let isNamed = call.kind != .other && call.kind != .signIn
      guard isNamed || call.session.map(sessions.contains) ?? false, let rest = left[call.kind], rest > 0 else { return false }
      left[call.kind] = rest - 1
      return true
    }.map { calls[$0] }
  }

  /// Opens a file that messages call by this name; throws `StartFailure` (66) if it is missing, or larger than `limit` bytes.
  static func open(_ path: String, name: String, limit: Int = RecordedSession.sizeLimit) throws(StartFailure) -> FileBytes {
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
