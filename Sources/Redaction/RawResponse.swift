package import JSON

/// A response as it was received, including secrets; only for `NetworkLog`. It cannot be encoded, and descriptions omit the
/// content.
package struct RawResponse: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The status code.
  package var status: Int
  /// The header lines in the order received, including repeated ones.
  package var headers: [(name: String, value: String)]
  /// The decoded body; empty if there is none.
  package var body: [UInt8]
  /// The bytes of the body as sent over the network.
  package var wireByteCount: Int
  /// The parsed body, if it is available; ignored if it belongs to other bytes than `body`.
  package var document: JSONDocument?

  /// Creates a response; `wireByteCount` defaults to the size of the body.
  package init(
    status: Int, headers: [(name: String, value: String)], body: [UInt8], wireByteCount: Int? = nil,
    document: JSONDocument? = nil
  ) {
    self.document = document
    self.status = status
    self.headers = headers
    self.body = body
    self.wireByteCount = wireByteCount ?? body.count
  }

  /// A description without the content.
  package var description: String { "RawResponse" }
  /// A description without the content.
  package var debugDescription: String { description }
  /// A mirror without the content, so that `dump` shows nothing.
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}
