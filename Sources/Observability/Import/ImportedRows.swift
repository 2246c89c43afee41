import FoundationEssentials
import HTTPTypes
import JSON
package import Redaction
import Text

/// Makes rows of a file that arrives in pieces: a HAR 1.2 of any program, or rows as Understudy exports them. Everything is redacted.
package struct ImportedRows {
  /// The most rows of a file.
  package static let limit = 1_000_000

  /// Says what an endpoint's messages may show, by method and path.
  package typealias Traits = @Sendable (_ method: String, _ path: String) -> EndpointTraits

  /// The program that wrote the file, such as `Chromium 120`; nil until it is read, or if the file does not say.
  package private(set) var creator: String?
  /// How many rows were made.
  package private(set) var count = 0
  /// The backend of the first row, as scheme and authority.
  package private(set) var origin: String?

  private var elements = JSONElements()
  private let traits: Traits
  private let redactor: Redactor
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
        guard let row = try row(bytes, line: line) else { continue }
        rows.append(row)
        count += 1
      }
    }
    // A fault of an entry stands before this one.
    if let failure { throw failure }
    return rows
  }

  /// Another text of the file, redacted.
  package func masked(_ text: String) -> String {
    MaskSkeleton.keep(text, over: redactor.redact(text: text, context: .general).text)
  }

  /// Notes the end of the file; throws `ImportError` if it ends early or has no rows.
  package func finish() throws(ImportError) {
    try elements.finish()
    guard count > 0 else { throw ImportError(.noRows) }
  }

  private mutating func row(_ bytes: [UInt8], line: Int) throws(ImportError) -> NetworkRowDetail? {
    guard let document = ToleratedJSON.document(bytes) else { throw ImportError(.notJSON, line: line) }
    if document.root["request"]?["url"] == nil, document.root["seq"] != nil { return try ownRow(document, line: line) }
    let entry = try HAREntry(document.root, line: line)
    guard let entry else { return nil }
    guard lastSeq < .last else { throw ImportError(.tooManyRows, line: line) }
    lastSeq = lastSeq.next
    let row = entry.row(seq: lastSeq, redactor: redactor, traits: traits)
    if origin == nil { origin = entry.origin }
    return row
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

  /// An id as it stands in addresses.
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
    masked.row.errorDetail = row.row.errorDetail.map(text)
    masked.url = origin + masked.row.path + (masked.row.query.map { "?" + $0 } ?? "")
    masked.request = row.request.kept(over: request.message)
    if let message = response?.message { masked.response = row.response?.kept(over: message) }
    return masked
  }
}

extension RedactedMessage {
  /// The message, except what another one, made of it, masks beyond its masks.
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
  /// What the numbers of a row can be: sizes, counts, places, status codes and milliseconds are neither negative nor larger.
  private static let numbers = 0...Double(1 << 53)

  /// The name of the first member with a number that no row can have; nil if there is none. The parser limits the depth.
  func memberBeyondBounds(named name: String = "") -> String? {
    switch kind {
    case .number: double.map(Self.numbers.contains) ?? false ? nil : name
    case .object: memberNodes.lazy.compactMap { $0.value.memberBeyondBounds(named: $0.key.string ?? "") }.first
    case .array: elements.lazy.compactMap { $0.memberBeyondBounds(named: name) }.first
    default: nil
    }
  }
}
