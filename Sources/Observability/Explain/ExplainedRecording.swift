package import Explain
import JSON
package import Redaction

/// Explains a file that arrives in pieces: a HAR of any program, or rows as Understudy exports them.
///
/// It reads what the file says, including secrets, and keeps nothing but the explanation.
package struct ExplainedRecording {
  /// Returns a file that lies beside the HAR in an archive, by name.
  private let attachment: (String) -> [UInt8]?
  private var elements = JSONElements()
  private var explainer = Explainer()
  private var count = 0
  /// The number of the last row, or of the last entry of a HAR.
  private var last = 0

  private init(attachment: @escaping (String) -> [UInt8]? = { _ in nil }) { self.attachment = attachment }

  /// Explains a bundle that `ExportBundle` wrote, its rows, another archive with one HAR, or a HAR; throws `ImportError`.
  package static func explanation(of file: some ByteSource) throws(ImportError) -> Explanation {
    do {
      guard ZipArchive.isZip(file) else {
        var recording = ExplainedRecording()
        var next = 0
        while next < file.count {
          let piece = try file.read(at: next, min(pieceSize, file.count - next))
          try recording.add(piece)
          next += piece.count
        }
        return try recording.finish()
      }
      let archive = try RecordingArchive(file)
      var recording = ExplainedRecording(attachment: archive.attachment)
      let reader = try archive.rows()
      while let piece = try reader.next() { try recording.add(piece) }
      return try recording.finish()
    } catch let error as ImportError {
      throw error
    } catch let error as ArchiveError {
      throw ImportError(.archive(error))
    } catch {
      throw ImportError(.notJSON)
    }
  }

  /// How much is read at a time.
  private static let pieceSize = 1 << 20

  private mutating func add(_ bytes: [UInt8]) throws {
    var parts: [JSONElements.Part] = []
    try elements.add(bytes) { parts.append($0) }
    for part in parts {
      guard case .element(let bytes, let line) = part else { continue }
      guard count < ImportedRows.limit else { throw ImportError(.tooManyRows, line: line) }
      try read(bytes, line: line)
    }
  }

  private mutating func finish() throws(ImportError) -> Explanation {
    try elements.finish()
    guard count > 0 else { throw ImportError(last == 0 ? .noRows : .noRequests) }
    return explainer.explanation()
  }

  private mutating func read(_ bytes: [UInt8], line: Int) throws(ImportError) {
    let document = ToleratedJSON.read(bytes)
    if let document, document.root["request"]?["url"] == nil, document.root["seq"] != nil {
      guard document.root.memberBeyondBounds() == nil, let row = try? StoredAttempt.attempt(whole: document) else {
        throw ImportError(.invalidRow, line: line)
      }
      (count, last) = (count + 1, Int(clamping: row.row.seq.number))
      if let exchange = Exchange(row) { explainer.add(exchange) }
      return
    }
    last += 1
    if let document, HAREntry.isOther(document.root) { return }
    guard let entry = document.flatMap({ HAREntry($0.root, attachment: attachment) }) else {
      explainer.skipped.append(last)
      return
    }
    count += 1
    explainer.add(entry.exchange(number: last))
  }
}

extension Explanation {
  /// Explains redacted rows.
  init(of rows: [NetworkRowDetail]) {
    var explainer = Explainer()
    for case let exchange? in rows.lazy.map({ Exchange($0) }) { explainer.add(exchange) }
    self = explainer.explanation()
  }

  /// The explanation as it may leave the program: with the secrets in texts of the log masked.
  package func masked(by redactor: Redactor) -> Explanation {
    masked(by: { redactor.redact(text: $0, context: .general).text }, path: { redactor.redact(path: $0) })
  }
}

extension Exchange {
  /// A row of the log; nil for one that has not finished, and for the console's own requests.
  package init?(_ detail: NetworkRowDetail) {
    let row = detail.row
    guard row.state.isFinal, row.source != .tool else { return nil }
    let response = row.status.map { status in
      Response(
        status: status, headers: detail.response?.headers ?? [], body: Array((detail.response?.body ?? "").utf8),
        isBodyRecorded: detail.response?.bodyNote == nil, isCached: row.source == .cache)
    }
    self.init(
      number: Int(clamping: row.seq.number), start: row.startedAt.milliseconds, duration: row.durationMilliseconds,
      method: row.method,
      url: detail.url, headers: detail.request.headers, body: Array((detail.request.body ?? "").utf8), response: response,
      failure: row.status == nil || row.error == ProxyPage.error ? row.error : nil,
      fault: Self.fault(of: row.fault, id: row.faultID))
    attempt = Attempt(row)
    add(detail.request.tokens + (detail.response?.tokens ?? []))
  }

  /// Adds what is known of masked tokens.
  fileprivate mutating func add(_ tokens: [MaskedToken]) {
    for token in tokens {
      func time(_ seconds: Double?) -> Int64? { seconds.flatMap(WebToken.milliseconds) }
      add(
        TokenClaims(
          issuedAt: time(token.iat), notBefore: time(token.nbf), expiresAt: time(token.exp),
          session: token.session.map { "‹token:\($0)›" }, isAnonymous: token.anonymous ?? false),
        of: "‹token:\(token.mask)›")
    }
  }

  /// The name of a fault rule that changed what the app got; one that only delays it explains nothing.
  fileprivate static func fault(of fault: RowFault?, id: String?) -> String? {
    fault?.action == "latency" ? nil : fault?.name ?? id
  }
}

extension Exchange.Attempt {
  /// nil for a request that a person composed or sent again, and for what the cache answered.
  fileprivate init?(_ row: NetworkRow) {
    let purpose: Purpose =
      switch row.endpoint {
      case "refresh_tokens": .refresh
      case "logout": .signOut
      default: .other
      }
    switch row.source {
    case .network: break
    // The refresh that such a request needed is the client's.
    case .fault where purpose == .refresh || row.flow != "compose" && row.flow != "replay": break
    default: return nil
    }
    // An address can take long to look up, and a far network long to answer.
    let isKnown = row.errorDetail == "nothing was sent" || row.errorDetail?.contains("notConnected") ?? false
    let isOffline = row.error == "offline" && row.durationMilliseconds.map { isKnown || $0 <= 1000 } ?? false
    self.init(
      row: row.id, parent: row.parentID, call: row.callID, number: row.attempt, purpose: purpose,
      isLaunch: row.flow == "launch" || row.flow == "bootstrap", isOffline: isOffline, faultID: row.faultID)
  }
}

extension HAREntry {
  /// The entry as the engine reads it, including secrets.
  func exchange(number: Int) -> Exchange {
    let answer = response.map {
      Exchange.Response(
        status: $0.status, headers: $0.headers, body: $0.body, isBodyRecorded: isBodyRecorded, isCached: isCached)
    }
    var exchange = Exchange(
      number: number, start: startedAt?.milliseconds, duration: timings.total, method: request.method,
      url: origin + request.path + (request.query.map { "?" + $0 } ?? ""), headers: request.headers, body: request.body,
      // Understudy writes the error of a row that has a response, too.
      response: answer, failure: own.id != nil && answer != nil && error.code != ProxyPage.error ? nil : error.code,
      fault: Exchange.fault(of: own.fault, id: own.faultID))
    exchange.add(tokens.request + tokens.response)
    return exchange
  }
}
