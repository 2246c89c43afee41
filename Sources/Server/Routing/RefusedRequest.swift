package import HTTPTypes
package import Wire

/// A request that was refused before a handler saw it, as far as it was parsed.
package struct RefusedRequest: Sendable {
  /// The status of the refusal.
  package let status: HTTPResponse.Status
  /// The parsed part of the head; nil if the request line was not parsed, or if the head was complete.
  package let partialHead: PartialHead?

  package init(status: HTTPResponse.Status, partialHead: PartialHead? = nil) {
    (self.status, self.partialHead) = (status, partialHead)
  }
}
