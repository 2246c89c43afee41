import HTTPTypes
import Reactor
import Locking
package import Wire

/// An answer that is the same for everybody who asks, kept as bytes: head and body together, with a place for `Date`.
package final class PreparedResponse: Sendable {
  /// The bytes as one server sends them.
  final class Serialized: Sendable {
    /// Bodies up to this size are copied behind their head, and with them those of a batch.
    private static let copiedBody = 16_384

    /// Head and body, of a large answer the head alone.
    let bytes: [UInt8]
    /// The body of a large answer, and of one that a plain connection is sent without a copy.
    private let large: SharedBytes?
    /// How many of `bytes` are the head.
    let headCount: Int
    /// Where the 29 bytes of `Date` stand.
    let dateStart: Int
    /// The server whose fields the head has.
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

    /// The body that goes out beside the head; nil where it stands behind it in `bytes`: in one record, where they are encrypted.
    func large(isTLS: Bool) -> SharedBytes? { isTLS && bytes.count > headCount ? nil : large }
  }

  /// The answer.
  let response: Response
  private let cached = LazyReference<Serialized>()

  /// An answer to GET, and without its body to HEAD; its body must be in memory.
  package init(_ response: Response) { self.response = response }

  /// The bytes of this answer; nil where it cannot be written, or another server was first: its fields may be others.
  func serialized(for core: ServerCore) -> Serialized? {
    if let serialized = cached.value { return serialized.registry === core.registry ? serialized : nil }
    return Serialized(response, core).map { cached.setIfNil($0) }.flatMap { $0.registry === core.registry ? $0 : nil }
  }
}

/// Answers a GET or HEAD without a body on the loop's thread if the answer is ready, else nil; the time is the turn's.
///
/// It is asked before the handler, and must say what the handler would.
package typealias InlineHandler = @Sendable (borrowing RequestView, ContinuousClock.Instant) -> PreparedResponse?

/// Answers a request in the task of its connection.
package typealias Responder = nonisolated(nonsending) @Sendable (Request) async -> Response
