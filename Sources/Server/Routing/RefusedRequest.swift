package import HTTPTypes
package import Wire

/// A request that no handler sees, as far as it was read.
package struct RefusedRequest: Sendable {
  /// The status that it is refused with.
  package let status: HTTPResponse.Status
  /// The beginning of its head; nil if its request line was not read, and if its head was whole.
  package let partialHead: PartialHead?

  /// Made of its parts.
  package init(status: HTTPResponse.Status, partialHead: PartialHead? = nil) {
    (self.status, self.partialHead) = (status, partialHead)
  }
}
