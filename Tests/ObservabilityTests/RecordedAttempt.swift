import FoundationEssentials
import HTTPTypes
import JSON
import Locking

@testable import Observability
@testable import Redaction

/// A log with one attempt, and everything it outputs: the list, the events and the detail, as JSON bytes.
struct RecordedAttempt {
  /// The texts that the log output.
  let channels: [String]
  let detail: NetworkRowDetail?

  static let origin = AttemptOrigin(
    callID: "11111111-1111-4111-8111-111111111111", flowID: "22222222-2222-4222-8222-222222222222", flow: "login",
    startedAt: Date(timeIntervalSince1970: 0))

  /// Records a request and its result.
  init(_ exchange: RawExchange, registry: SecretRegistry, origin: AttemptOrigin = Self.origin) throws {
    let events = EventList()
    let log = NetworkLog(capacity: 10, bodyBytes: 1 << 20, registry: registry) { events.add($0) }
    let id = log.begin(exchange.request, of: origin)
    log.finish(id, with: exchange)
    detail = log.detail(id: id)
    channels = try (events.rows.map { try JSONCoding.encode($0) } + [JSONCoding.encode(log.rows()), JSONCoding.encode(detail)])
      .map { String(decoding: $0, as: UTF8.self) }
  }

  /// Collects rows from the callback.
  final class EventList: Sendable {
    private let list = Locked<[NetworkRow]>([])
    var rows: [NetworkRow] { list.withLock { $0 } }
    func add(_ row: NetworkRow) { list.withLock { $0.append(row) } }
  }
}
