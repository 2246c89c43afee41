import HTTPTypes
import Locking
package import Observability
package import OpenAPI
package import Server
import Redaction

/// Compares the exchanges of all devices with the OpenAPI document of the backend.
///
/// The document may become known after the first calls; these wait to be compared until then.
package final class DriftDetector: Sendable {
  /// A document that exchanges are compared with.
  package struct Document: Hashable, Encodable, Sendable {
    /// Its origin, without anything that could be secret: a URL without user and query, or a file's name.
    package let source: String
    package let title: String
    package let version: String
    package let operations: Int
    /// The parts of the document that are not compared, one line each.
    package let notes: [String]

    /// The most notes that are kept.
    private static let noteLimit = 20

    package init(_ contract: APIContract, source: String) {
      self.source = source
      title = contract.title
      version = contract.version
      operations = contract.operationCount
      notes = Array(contract.notes.prefix(Self.noteLimit))
    }
  }

  /// Why there is no document.
  package enum Reason: String, CaseIterable, Codable, Sendable {
    /// The backend publishes none: it responded with 404 or 410.
    case notPublished = "not_published"
    /// It could not be fetched.
    case unreachable
    /// The response is not an OpenAPI document that exchanges can be compared with.
    case invalid
  }

  /// The state of the document.
  package enum Status: Hashable, Sendable {
    /// It is being fetched from the source.
    case loading(source: String)
    case comparing(Document)
    /// There is none; the detail is one line for people, or nil.
    case none(source: String, Reason, detail: String?)
  }

  /// Compares the exchanges of the devices' logs.
  package let comparer: ExchangeComparer
  /// The rows of the console's own requests, such as the one for the document; nil if they are not kept.
  package let toolLog: NetworkLog?
  private let state: Locked<Status>
  /// The document, once exchanges are compared with it.
  private let document = Locked<APIContract?>(nil)

  /// Waits for the document of a source.
  package init(source: String, comparer: ExchangeComparer = ExchangeComparer(), toolLog: NetworkLog? = nil) {
    self.comparer = comparer
    self.toolLog = toolLog
    state = Locked(.loading(source: source))
  }

  /// A detector without a document, which compares nothing.
  package static var off: DriftDetector {
    let detector = DriftDetector(source: "")
    detector.turnOff(.notPublished)
    return detector
  }

  /// The state of the document.
  package var status: Status { state.withLock { $0 } }

  /// The origin of the document.
  private var source: String {
    switch status {
    case .loading(let source), .none(let source, _, _): source
    case .comparing(let document): document.source
    }
  }

  /// Compares every exchange with the document, including the exchanges that waited for it.
  package func start(_ contract: APIContract) {
    let document = Document(contract, source: source)
    self.document.withLock { $0 = contract }
    state.withLock { $0 = .comparing(document) }
    comparer.start(declares: contract.declaresNonIdentifierName) { exchange in
      contract.differences(in: ObservedExchange(exchange)).map(NetworkDrift.init)
    }
  }

  /// The document that exchanges are compared with, and its state; nil without one.
  var comparison: (contract: APIContract, document: Document)? {
    guard case .comparing(let known) = status, let contract = document.withLock({ $0 }) else { return nil }
    return (contract, known)
  }

  /// Compares nothing, because there is no document.
  package func turnOff(_ reason: Reason, detail: String? = nil) {
    let source = source
    state.withLock { $0 = .none(source: source, reason, detail: detail) }
    comparer.turnOff()
  }

  /// The queue of exchanges, with its limit.
  package var bounds: [Bound] {
    [Bound("waiting_comparisons", limit: comparer.rowLimit, used: comparer.waiting)]
  }

  /// The numbers in Prometheus' text format 0.0.4.
  package func prometheusText() -> [UInt8] {
    let counts = comparer.counts
    let name = "understudy_drift_exchanges_total"
    var out = MetricsText()
    out.begin(name, "counter", "Exchanges by the result of their comparison with the OpenAPI document.")
    for (result, count) in [("match", counts.compared - counts.drifted), ("drift", counts.drifted), ("dropped", counts.dropped)] {
      out.sample(name, [("result", result)], "\(count)")
    }
    return out.bytes
  }
}

extension ObservedExchange {
  /// The exchange with the client's headers and bodies; bodies are shared, not copied.
  fileprivate init(_ exchange: RawExchange) {
    let request = exchange.request
    self.init(
      method: request.method.rawValue, path: request.path, query: request.query, requestHeaders: request.headers,
      requestBody: request.body, status: exchange.response?.status, responseHeaders: exchange.response?.headers ?? [],
      responseBody: exchange.response?.body)
  }
}

extension NetworkDrift {
  init(_ drift: OpenAPI.Drift) {
    let kind: Kind =
      switch drift.kind {
      case .missing: .missing
      case .undocumented: .undocumented
      case .invalid: .invalid
      }
    self.init(
      side: drift.side == .request ? .request : .response, pointer: drift.pointer, expected: drift.expected, got: drift.got,
      kind: kind)
  }
}
