package import HTTPTypes
package import Observability

/// A complete response, decompressed.
package struct TransportResponse: Sendable, Hashable {
  /// The status code, 200…999; interim responses (1xx) are dropped.
  package var status: Int
  /// The header fields in order; trailers are dropped.
  package var headers: HTTPFields
  /// The body after decompression, empty when there is none.
  package var body: [UInt8]
  /// Why the body could not be decoded, in words; nil if it was.
  package var codingFault: String?
  /// How long each phase took.
  package var timings: TransportTimings
  /// The connection over which it came; nil if it came over none.
  package var connection: NetworkConnection?
  package init(status: Int, headers: HTTPFields = [:], body: [UInt8] = [], timings: TransportTimings = TransportTimings()) {
    self.status = status
    self.headers = headers
    self.body = body
    self.timings = timings
  }
}
