import FoundationEssentials
import HTTPTypes
import JSON
package import Redaction
import Text

/// Converts a file that arrives in pieces to rows: a HAR 1.2 of any program, or rows as Understudy exports them. Everything is
/// redacted.
package struct ImportedRows {
  /// The most rows of a file.
  package static let limit = 1_000_000

  /// Returns which parts of an endpoint's messages may be shown, by method and path.
  package typealias Traits = @Sendable (_ method: String, _ path: String) -> EndpointTraits

  /// The program that wrote the file, such as `Chromium 120`; nil until it is read, or if the file names none.
  package private(set) var creator: String?
  /// How many rows were made.
  package private(set) var count = 0
  /// The backend of the first row, as scheme and authority.
  package private(set) var origin: String?

  /// The numbers of the entries, from 1, that have no readable request; the first of them, if there are many.
  package private(set) var skipped: [Int] = []
  /// Returns a file next to the HAR in an archive, by name.
  package var attachment: (String) -> [UInt8]? = { _ in nil }

  private static let skippedLimit = 100

  private var elements = JSONElements()
  /// When the last entry with a date began; the next ones without a date share it.
  private var lastStart: Timestamp?
  /// The entries before the first with a date, which share that date.
  private var undated: [(entry: HAREntry, seq: RowSequence)] = []
  private let traits: Traits
  private let redactor: Redactor
  /// The number of the last row, or of the last entry of a HAR.
  private var lastSeq: RowSequence = 0

  /// `registry` has the key of the tags that replace secrets.
  package init(registry: SecretRegistry, traits: @escaping Traits) {
    redactor = Redactor(registry: registry)
    self.traits = traits
  }

  /// Reads the next piece and returns the rows in it; throws `ImportError`.
  package mutating func add(_ bytes: some Sequence<UInt8>) throws(ImportError) -> [NetworkRowDetail] {
    var parts: [JSONElements.Part] = []
    var failure: ImportError?
    do { try elements.add(bytes) { parts.append($0) } } catch {
      failure = error as? ImportError ?? ImportError(.notJSON)
    }
    var rows: [NetworkRowDetail] = []
    for part in parts {
      switch part {
      case .creator(let object):
        let node = ToleratedJSON.document(object)?.root
        let words = [node?["name"]?.string, node?["version"]?.string].compactMap { $0 }.joined(separator: " ")
        if !words.isEmpty { creator = String(redactor.redact(text: words, context: .general).text.prefix(100)) }
      case .element(let bytes, let line):
        guard count < Self.limit else { throw ImportError(.tooManyRows, line: line) }
        let made = try self.rows(of: bytes, line: line)
        rows += made
        count += made.count
      }
    }
    // The error of an earlier entry takes precedence.
    if let failure { throw failure }
    return rows
  }

  /// Another text of the file, redacted.
  package func masked(_ text: String) -> String {
    MaskSkeleton.keep(text, over: redactor.redact(text: text, context: .general).text)
  }

  /// Handles the end of the file and returns the rows that waited for it; throws `ImportError` if it ends early or has no rows.
  @discardableResult
  package mutating func finish() throws(ImportError) -> [NetworkRowDetail] {
    try elements.finish()
    let rows = dated(by: Timestamp(milliseconds: 0))
    count += rows.count
    guard count > 0 else { throw ImportError(lastSeq == 0 ? .noRows : .noRequests) }
    return rows
  }

  /// The rows of an element: none if it waits for a date or is skipped.
  private mutating func rows(of bytes: [UInt8], line: Int) throws(ImportError) -> [NetworkRowDetail] {
    let document = ToleratedJSON.read(bytes)
    if let document, document.root["request"]?["url"] == nil, document.root["seq"] != nil {
      return [try ownRow(document, line: line)]
    }
    guard lastSeq < .last else { throw ImportError(.tooManyRows, line: line) }
    lastSeq = lastSeq.next
    if let document, HAREntry.isOther(document.root) { return [] }
    guard let entry = document.flatMap({ HAREntry($0.root, attachment: attachment) }) else {
      if skipped.count < Self.skippedLimit { skipped.append(Int(lastSeq.number)) }
      return []
    }
    if origin == nil { origin = entry.origin }
    undated.append((entry, lastSeq))
    lastStart = entry.startedAt ?? lastStart
    guard let lastStart = lastStart ?? (undated.count < Self.undatedLimit ? nil : Timestamp(milliseconds: 0)) else { return [] }
    return dated(by: lastStart)
  }

  /// The most entries that wait for the first date.
  private static let undatedLimit = 1000

  /// The rows of the waiting entries; an entry without a date gets this one.
  private mutating func dated(by start: Timestamp) -> [NetworkRowDetail] {
    defer { undated.removeAll(keepingCapacity: true) }
    return undated.map { waiting in
      var entry = waiting.entry
      entry.startedAt = entry.startedAt ?? start
      return entry.row(seq: waiting.seq, redactor: redactor, traits: traits)
    }
  }

  // MARK: Rows as Understudy exports them

  private mutating func ownRow(_ document: JSONDocument, line: Int) throws(ImportError) -> NetworkRowDetail {
    if let member = document.root.memberBeyondBounds() { throw ImportError(.invalidNumber(member), line: line) }
    guard let row = try? StoredAttempt.attempt(whole: document), row.row.seq > lastSeq, Self.isName(row.row.id) else {
      throw ImportError(.invalidRow, line: line)
    }
    lastSeq = row.row.seq
    if origin == nil, let parts = HAREntry.parts(ofURL: row.url) { origin = parts.origin }
    return masked(row)
  }

  /// Whether a text is an id as it appears in addresses.
  private static func isName(_ id: String) -> Bool {
    (1...64).contains(id.utf8.count)
      && id.utf8.allSatisfy { ASCII.isAlphanumeric($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
  }

  /// Returns the row, redacted again, because an edited file can contain secrets that no export contains.
  private func masked(_ row: NetworkRowDetail) -> NetworkRowDetail {
    let traits = self.traits(row.row.method, row.row.path)
    let endpoint = EndpointTraits(
      name: row.row.endpoint, isAuthentication: traits.isAuthentication, logsRequestBody: true, logsResponseBody: true,
      masksResponseValues: traits.masksResponseValues)
    func text(_ text: String) -> String {
      MaskSkeleton.keep(text, over: redactor.redact(text: text, context: endpoint.context).text)
    }
    let origin = HAREntry.parts(ofURL: row.url)?.origin ?? ""
    let request = redactor.redact(
      RawRequest(
        method: HTTPRequest.Method(row.row.method) ?? .get, origin: origin, path: row.row.path, query: row.row.query,
        endpoint: endpoint, headers: row.request.headers, body: Array((row.request.body ?? "").utf8)))
    let response = row.response.map { response in
      redactor.redact(
        RawResponse(status: row.row.status ?? 0, headers: response.headers, body: Array((response.body ?? "").utf8)), to: endpoint
      )
    }
    var masked = row
    masked.row.path = MaskSkeleton.keep(row.row.path, over: request.path)
    masked.row.query = row.row.query.map { MaskSkeleton.keep($0, over: request.query ?? "") }
    masked.row.endpoint = text(row.row.endpoint)
    masked.row.error = row.row.error.map(text)
    masked.row.fault = row.row.fault?.masked(text)
    masked.row.errorDetail = row.row.errorDetail.map(text)
    masked.url = origin + masked.row.path + (masked.row.query.map { "?" + $0 } ?? "")
    masked.request = row.request.kept(over: request.message)
    masked.request.tokens = redactor.redact(row.request.tokens)
    if let message = response?.message { masked.response = row.response?.kept(over: message) }
    masked.response?.tokens = redactor.redact(row.response?.tokens ?? [])
    return masked
  }
}

extension RedactedMessage {
  /// The message, except for values that `other`, its redacted version, also masks.
  fileprivate func kept(over other: RedactedMessage) -> RedactedMessage {
    var message = self
    message.headers = zip(headers, other.headers).map { own, other in
      (name: MaskSkeleton.keep(own.name, over: other.name), value: MaskSkeleton.keep(own.value, over: other.value))
    }
    if let body, !body.isEmpty {
      message.body = other.body.map { MaskSkeleton.keep(body, over: $0) }
      message.bodyNote = other.bodyNote
    }
    return message
  }
}

extension JSONNode {
  /// The range of a row's numbers: sizes, counts, places, status codes and milliseconds.
  private static let numbers = 0...Double(1 << 53)

  /// The name of the first field with a number that no row can have; nil if there is none. The parser limits the depth.
  func memberBeyondBounds(named name: String = "") -> String? {
    switch kind {
    case .number: double.map(Self.numbers.contains) ?? false ? nil : name
    case .object: memberNodes.lazy.compactMap { $0.value.memberBeyondBounds(named: $0.key.string ?? "") }.first
    case .array: elements.lazy.compactMap { $0.memberBeyondBounds(named: name) }.first
    default: nil
    }
  }
}
