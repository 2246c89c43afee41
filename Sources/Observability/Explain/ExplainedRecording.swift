package import Explain
import JSON
package import Redaction

/// Explains a file: a HAR of any program, or rows as Understudy exports them. Only the explanation is kept.
package enum ExplainedRecording {
  /// Explains a bundle that `ExportBundle` wrote, its rows, another archive with one HAR, or a HAR; throws `ImportError`.
  /// - Parameter calls: The backend's known calls.
  package static func explanation(of file: some ByteSource, calls: [NamedCall] = []) throws(ImportError) -> Explanation {
    var explainer = Explainer(calls: calls)
    explainer.skipped = try RecordedExchanges.read(file, isOfInterest: Explainer.reads(headerNamed:)) { explainer.add($0) }
    return explainer.explanation()
  }
}

/// Reads the exchanges of a file that arrives in pieces, including its secrets.
package struct RecordedExchanges {
  /// Returns a file next to the HAR in an archive, by name.
  private let attachment: (String) -> [UInt8]?
  private var elements = JSONElements()
  private var skipped: [Int] = []
  private var count = 0
  /// The number of the last row, or of the last entry of a HAR.
  private var last = 0

  private let isOfInterest: ((ArraySlice<UInt8>) -> Bool)?

  private init(
    _ isOfInterest: ((ArraySlice<UInt8>) -> Bool)?, attachment: @escaping (String) -> [UInt8]? = { _ in nil }
  ) {
    self.isOfInterest = isOfInterest
    self.attachment = attachment
  }

  /// Calls `take` with the exchanges of a bundle that `ExportBundle` wrote, of its rows, of another archive with one HAR, or of a HAR;
  /// throws `ImportError`.
  /// - Parameter isOfInterest: Which header fields of a HAR are read, by the bytes of their names; nil for all.
  /// - Returns: The numbers of the entries without a readable request.
  package static func read(
    _ file: some ByteSource, isOfInterest: ((ArraySlice<UInt8>) -> Bool)? = nil, _ take: (Exchange) -> Void
  ) throws(ImportError) -> [Int] {
    do {
      guard ZipArchive.isZip(file) else {
        var exchanges = RecordedExchanges(isOfInterest)
        var next = 0
        while next < file.count {
          let piece = try file.read(at: next, min(pieceSize, file.count - next))
          try exchanges.add(piece, take)
          next += piece.count
        }
        return try exchanges.finish()
      }
      let archive = try RecordingArchive(file)
      var exchanges = RecordedExchanges(isOfInterest, attachment: archive.attachment)
      let reader = try archive.rows()
      while let piece = try reader.next() { try exchanges.add(piece, take) }
      return try exchanges.finish()
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

  private mutating func add(_ bytes: [UInt8], _ take: (Exchange) -> Void) throws {
    var parts: [JSONElements.Part] = []
    try elements.add(bytes) { parts.append($0) }
    for part in parts {
      guard case .element(let bytes, let line) = part else { continue }
      guard count < ImportedRows.limit else { throw ImportError(.tooManyRows, line: line) }
      try read(bytes, line: line, take)
    }
  }

  private mutating func finish() throws(ImportError) -> [Int] {
    try elements.finish()
    guard count > 0 else { throw ImportError(last == 0 ? .noRows : .noRequests) }
    return skipped
  }

  private mutating func read(_ bytes: [UInt8], line: Int, _ take: (Exchange) -> Void) throws(ImportError) {
    let document = ToleratedJSON.read(bytes)
    if let document, document.root["request"]?["url"] == nil, document.root["seq"] != nil {
      guard document.root.memberBeyondBounds() == nil, let row = try? StoredAttempt.attempt(whole: document) else {
        throw ImportError(.invalidRow, line: line)
      }
      (count, last) = (count + 1, Int(clamping: row.row.seq.number))
      if let exchange = Exchange(row) { take(exchange) }
      return
    }
    last += 1
    if let document, HAREntry.isOther(document.root) { return }
    guard let entry = document.flatMap({ HAREntry($0.root, isOfInterest: isOfInterest, attachment: attachment) }) else {
      skipped.append(last)
      return
    }
    count += 1
    take(entry.exchange(number: last))
  }
}

extension Explanation {
  /// Explains redacted rows.
  init(of rows: [NetworkRowDetail]) {
    var explainer = Explainer()
    for case let exchange? in rows.lazy.map({ Exchange($0) }) { explainer.add(exchange) }
    self = explainer.explanation()
  }

  /// The explanation in a form that may leave the program: with the secrets in texts of the log masked.
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
    // A request that a person sends again is named by its address, which a backend file may give to another call.
    if [.network, .cache, .fault].contains(row.source) { call = NamedCall.Kind(endpoint: row.endpoint) }
    add(detail.request.tokens + (detail.response?.tokens ?? []))
  }

  /// Adds the claims of masked tokens.
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

  /// The name of a fault rule that changed the app's response; nil for a rule that only delays it, which explains nothing.
  fileprivate static func fault(of fault: RowFault?, id: String?) -> String? {
    fault?.action == "latency" ? nil : fault?.name ?? id
  }
}

extension Exchange.Attempt {
  /// nil for a request that a person composed or sent again, and for a response from the cache.
  fileprivate init?(_ row: NetworkRow) {
    let purpose: Purpose =
      switch row.endpoint {
      case "refresh_tokens": .refresh
      case "logout": .signOut
      default: .other
      }
    switch row.source {
    case .network: break
    // The client itself sent the refresh that such a request needed.
    case .fault where purpose == .refresh || row.flow != "compose" && row.flow != "replay": break
    default: return nil
    }
    // An address can take long to look up, and a far network long to respond.
    let isKnown = row.errorDetail == "nothing was sent" || row.errorDetail?.contains("notConnected") ?? false
    let isOffline = row.error == "offline" && row.durationMilliseconds.map { isKnown || $0 <= 1000 } ?? false
    self.init(
      row: row.id, parent: row.parentID, call: row.callID, number: row.attempt, purpose: purpose,
      isLaunch: row.flow == "launch" || row.flow == "bootstrap", isFailed: row.state != .success, isOffline: isOffline,
      faultID: row.faultID)
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
      // Understudy also writes the error of a row that has a response.
      response: answer, failure: own.id != nil && answer != nil && error.code != ProxyPage.error ? nil : error.code,
      fault: Exchange.fault(of: own.fault, id: own.faultID))
    exchange.add(tokens.request + tokens.response)
    return exchange
  }
}
