package import HTTPTypes

/// A whole response as it came from the wire, decompressed.
package struct TransportResponse: Sendable, Hashable {
  /// The status code, 200…999; interim answers (1xx) are not shown.
  package var status: Int
  /// The header fields in wire order; trailers are dropped.
  package var headers: HTTPFields
  /// The body after decompression, empty when there is none.
  package var body: [UInt8]
  /// How long each phase took.
  package var timings: TransportTimings

  /// A response with all its parts.
  package init(status: Int, headers: HTTPFields = [:], body: [UInt8] = [], timings: TransportTimings = TransportTimings()) {
    self.status = status
    self.headers = headers
    self.body = body
    self.timings = timings
  }
}
