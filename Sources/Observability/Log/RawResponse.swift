/// A response as it came in, secrets included: made for `NetworkLog` alone. It cannot be encoded and prints nothing of itself.
package struct RawResponse: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The status code.
  package var status: Int
  /// The header lines in wire order, repeated ones included.
  package var headers: [(name: String, value: String)]
  /// The body, content coding undone; empty for none.
  package var body: [UInt8]
  /// The bytes of the body on the wire.
  package var wireByteCount: Int

  /// A response; the wire size is that of the body unless it was coded.
  package init(status: Int, headers: [(name: String, value: String)], body: [UInt8], wireByteCount: Int? = nil) {
    self.status = status
    self.headers = headers
    self.body = body
    self.wireByteCount = wireByteCount ?? body.count
  }

  /// A text without the response.
  package var description: String { "RawResponse" }
  /// A text without the response.
  package var debugDescription: String { description }
  /// A mirror without the response, so that `dump` shows nothing.
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}
