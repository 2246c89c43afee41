import FoundationEssentials
import HTTPTypes

@testable import Observability
@testable import Redaction

extension RawRequest {
  /// A request without anything special.
  static let example = RawRequest(
    method: .get, origin: "https://backend.test", path: "/rpc/a",
    endpoint: EndpointTraits(name: "/rpc/a", isAuthentication: false, logsRequestBody: true, logsResponseBody: true))
}

extension AttemptOrigin {
  static let example = at(1_760_000_000)

  /// The origin of an attempt that began at that many seconds after 1970.
  static func at(_ seconds: Double) -> AttemptOrigin {
    AttemptOrigin(callID: "call", flowID: "flow", flow: "launch", startedAt: Date(timeIntervalSince1970: seconds))
  }
}

extension NetworkFilter {
  /// Rows after a `seq`.
  static func after(_ seq: RowSequence) -> NetworkFilter {
    var filter = NetworkFilter()
    filter.after = seq
    return filter
  }
}
