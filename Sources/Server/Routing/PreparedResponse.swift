import HTTPTypes
import Reactor
import Locking
package import Wire

/// A response that is the same for every client, kept as bytes: head and body together, with a place for `Date`.
package final class PreparedResponse: Sendable {
  /// The bytes as one server sends them.
  final class Serialized: Sendable {
    /// Bodies up to this size, in bytes, are stored behind their head.
    private static let copiedBody = 16_384

    /// The head, followed by the body unless it is large.
    let bytes: [UInt8]
    /// The body, if it is large or a plain connection can send it without a copy.
    private let large: SharedBytes?
    /// The length of the head within `bytes`.
    let headCount: Int
    /// The offset of the 29 bytes of `Date`.
    let dateStart: Int
    /// Identifies the server whose default fields the head contains.
    fileprivate let registry: ConnectionRegistry

    fileprivate init?(_ response: Response, _ core: ServerCore) {
      var bytes: [UInt8] = []
      let body: [UInt8]
      switch response.body {
      case .none: body = []
      case .bytes(let ready): body = ready
      case .stream, .events: return nil
      }
      do throws(ResponseError) {
        try core.serializer.append(
          ResponseHead(status: response.status, fields: response.headers), framing: .length(body.count), keepAlive: true,
          date: core.date.bytes(), to: &bytes)
      } catch {
        return nil
      }
      guard let lineEnd = bytes.firstIndex(of: 0x0A) else { return nil }
      dateStart = lineEnd + 1 + "Date: ".utf8.count
      headCount = bytes.count
      let sent = ResponseSerializer.allowsBody(response.status, to: .get) ? body : []
      large = sent.count >= SharedBytes.fileThreshold ? SharedBytes(sent) : nil
      self.bytes = sent.count > Self.copiedBody ? bytes : bytes + sent
      registry = core.registry
    }

    /// The body to send separately; nil to send the copy in `bytes`, which TLS puts into the same record as the head.
    func large(isTLS: Bool) -> SharedBytes? { isTLS && bytes.count > headCount ? nil : large }
  }

  let response: Response
  private let cached = LazyReference<Serialized>()

  /// A response to GET, and without its body to HEAD. The body must be in memory.
  package init(_ response: Response) { self.response = response }

  /// The bytes of the response; nil if it cannot be serialized, or was first serialized by another server, whose default fields
  /// may differ.
  func serialized(for core: ServerCore) -> Serialized? {
    if let serialized = cached.value { return serialized.registry === core.registry ? serialized : nil }
    return Serialized(response, core).map { cached.setIfNil($0) }.flatMap { $0.registry === core.registry ? $0 : nil }
  }
}

/// Returns the prepared response to a GET or HEAD without a body, or nil to call the handler. The time is that of the loop's
/// turn.
///
/// It is called before the handler, on the event loop's thread, and must return what the handler would.
package typealias InlineHandler = @Sendable (borrowing RequestView, ContinuousClock.Instant) -> PreparedResponse?

/// Responds to a request in the task of its connection.
package typealias Responder = nonisolated(nonsending) @Sendable (Request) async -> Response
