package import Observability
package import OpenAPI
import Redaction

/// How recorded rows differ from an OpenAPI document, and which parts of the document they use.
package struct RecordedDrift {
  /// The rows that went to one host.
  private struct Host {
    var rows = 0
    var drifted = 0
    var tally = DriftTally()
    /// Whether the document has the operation of any.
    var isDescribed = false
  }

  /// Which operations and responses were seen.
  package private(set) var coverage: ContractCoverage
  private let contract: APIContract
  private var hosts: [String: Host] = [:]

  package init(_ contract: APIContract) {
    self.contract = contract
    coverage = ContractCoverage(contract)
  }

  /// Compares a row, unless it has no response of a backend.
  /// - Parameter id: the row's name in the result; its own if nil.
  package mutating func add(_ detail: NetworkRowDetail, id: String? = nil) {
    let row = detail.row
    guard row.status != nil, row.source.isCompared, !detail.isPreflight else { return }
    let exchange = ObservedExchange(detail)
    let path = coverage.add(exchange)
    let drift = contract.differences(in: exchange).filter(detail.records).map(NetworkDrift.init)
    var host = hosts[row.host ?? ""] ?? Host()
    host.rows += 1
    host.isDescribed = host.isDescribed || path != nil
    if !drift.isEmpty {
      host.drifted += 1
      host.tally.add(NetworkDrift.distinct(drift), of: row, id: id, endpoint: path ?? row.path)
    }
    hosts[row.host ?? ""] = host
  }

  /// The hosts that the document describes: those that received one of its operations, or all hosts if none did.
  private var described: [Host] {
    let some = hosts.values.filter(\.isDescribed)
    return some.isEmpty ? Array(hosts.values) : some
  }

  /// The number of rows that were compared.
  package var compared: Int { described.reduce(0) { $0 + $1.rows } }
  /// The number of them that differ.
  package var drifted: Int { described.reduce(0) { $0 + $1.drifted } }
  /// The number of rows that went to hosts without an operation of the document.
  package var elsewhere: Int { hosts.values.reduce(0) { $0 + $1.rows } - compared }

  /// The differences by operation, or by path where the document has none.
  package var summary: DriftSummary {
    var summary = DriftSummary()
    for host in described { summary.merge(host.tally.summary) }
    return summary
  }
}

extension NetworkRowDetail {
  /// Whether it is a browser's preflight request, which no document describes.
  fileprivate var isPreflight: Bool {
    row.method == "OPTIONS" && request.headers.contains { $0.name.lowercased() == "access-control-request-method" }
  }
}

extension NetworkRowDetail {
  /// Whether the row has the part that a drift concerns: some programs record no headers.
  fileprivate func records(_ drift: OpenAPI.Drift) -> Bool {
    let headers = drift.side == .request ? request.headers : response?.headers ?? []
    return !headers.isEmpty || drift.pointer != "content-type" && !drift.pointer.hasPrefix("header:")
  }
}

extension ObservedExchange {
  /// A recorded row, in which masks stand for some values.
  fileprivate init(_ detail: NetworkRowDetail) {
    let row = detail.row
    self.init(
      method: row.method, path: row.path, query: row.query, requestHeaders: detail.request.headers,
      requestBody: detail.request.known, status: row.status, responseHeaders: detail.response?.headers ?? [],
      responseBody: detail.response?.known)
    isMasked = MaskSkeleton.isMasked
  }
}

extension RedactedMessage {
  /// The body; nil if there was one that is not known.
  fileprivate var known: [UInt8]? {
    if bodyNote != nil { return nil }
    if let body, !body.isEmpty { return Array(body.utf8) }
    // Some programs do not record request bodies.
    let length = headers.first { $0.name.lowercased() == "content-length" }?.value
    return length == nil || length == "0" ? [] : nil
  }
}

/// The comparison of recorded rows with a document, as the API and `understudy drift` have it.
package struct RecordedDriftBody: Codable {
  /// How much of the document was seen.
  struct Coverage: Codable {
    let operations, seenOperations, responses, seenResponses: Int
    let list: [ContractCoverage.Operation]
  }

  let document: DriftBody.Document
  package let compared: Int
  package let drifted: Int
  /// Rows of other hosts, which are not compared.
  package let elsewhere: Int
  package let endpoints: [DriftEndpointBody]
  package let unlisted: Int
  /// nil without a document.
  let coverage: Coverage?

  /// Nothing, because there is no document.
  init(without status: DriftDetector.Status) {
    document = DriftBody.Document(status, rowID: nil)
    compared = 0
    drifted = 0
    elsewhere = 0
    endpoints = []
    unlisted = 0
    coverage = nil
  }

  /// The comparison with the document of a source.
  package init(_ drift: RecordedDrift, _ document: DriftDetector.Document) {
    self.document = DriftBody.Document(.comparing(document), rowID: nil)
    compared = drift.compared
    drifted = drift.drifted
    elsewhere = drift.elsewhere
    let summary = drift.summary
    endpoints = summary.endpoints.map(DriftEndpointBody.init)
    unlisted = summary.unlisted
    let coverage = drift.coverage
    self.coverage = Coverage(
      operations: coverage.operations.count, seenOperations: coverage.usedOperations, responses: coverage.responseCount,
      seenResponses: coverage.usedResponses, list: coverage.operations)
  }
}

extension RecordedDriftBody: SchemaProvider {
  package static var schema: Schema {
    .recorded(from: Self.self).refined([
      "compared": .minimum(0), "drifted": .minimum(0), "elsewhere": .minimum(0), "unlisted": .minimum(0),
      "document.operations": .minimum(0), "document.row_id": .uuid, "endpoints[].rows": .minimum(1),
      "endpoints[].differences[].count": .minimum(1), "coverage.operations": .minimum(0), "coverage.seen_operations": .minimum(0),
      "coverage.responses": .minimum(0), "coverage.seen_responses": .minimum(0), "coverage.list[].rows": .minimum(0),
      "coverage.list[].responses[].rows": .minimum(0),
    ])
  }
}
