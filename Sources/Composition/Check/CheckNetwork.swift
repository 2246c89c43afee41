import Client
import Domain
import HTTPTypes
import Locking
import Observability

/// The network between the devices and their backend, which can be cut, can lose a response and records response shapes.
final class CheckNetwork: Sendable {
  /// Identifies a kind of response: responses with the same key should have the same shape.
  struct ResponseKey: Hashable, Comparable, Sendable {
    let path: String
    let method: String
    let status: Int

    /// Orders by path, method and status.
    static func < (one: ResponseKey, other: ResponseKey) -> Bool {
      (one.path, one.method, one.status) < (other.path, other.method, other.status)
    }
  }

  /// A request whose first response was withheld from the client, and what followed.
  struct LostResponse: Sendable {
    /// The body that was withheld, and that of the next response.
    var bodies: [[UInt8]] = []
    /// The `Idempotency-Key` of each request; nil if it had none.
    var keys: [String?] = []
  }

  private struct State {
    var isCut = false
    /// The path whose responses are recorded, and the record.
    var lost: (path: String, answer: LostResponse)?
    var shapes: [ResponseKey: ResponseShape] = [:]
  }

  /// Nobody listens here: the port is privileged and long out of use.
  private static let nowhere = "https://127.0.0.1:1"

  private let origin: String
  private let direct: RotatingTransport
  private let cut: RotatingTransport
  private let state = Locked(State())

  /// Creates the network to `origin`; throws as `RotatingTransport.init`.
  init(origin: String, configuration: TransportConfiguration) throws(TransportError) {
    self.origin = origin
    direct = try RotatingTransport(configuration)
    var straight = configuration
    straight.proxy = .none
    cut = try RotatingTransport(straight)
  }

  /// The network as a transport for the client chain.
  var transport: Transport {
    Transport { request async throws(TransportError) in try await self.send(request) }
  }

  /// The shapes of the responses so far.
  var shapes: [ResponseKey: ResponseShape] { state.withLock { $0.shapes } }

  /// Cuts or restores the network; while it is cut, no connection succeeds.
  func setOffline(_ isCut: Bool) { state.withLock { $0.isCut = isCut } }

  /// Withholds the next response of the path from the client, like a connection that breaks after the request was read.
  func loseNextResponse(of path: String) { state.withLock { $0.lost = (path, LostResponse()) } }

  /// Returns the record of the lost response and stops recording.
  func takeLostResponse() -> LostResponse {
    state.withLock { state in
      defer { state.lost = nil }
      return state.lost?.answer ?? LostResponse()
    }
  }

  /// Shuts down both transports.
  func shutdown() async {
    await direct.shutdown()
    await cut.shutdown()
  }

  private func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
    let target = request.url.dropFirst(origin.count)
    if state.withLock({ $0.isCut }) {
      var request = request
      request.url = Self.nowhere + target
      return try await cut.send(request)
    }
    let response = try await direct.send(request)
    let path = String(target.prefix { $0 != "?" })
    let key = ResponseKey(path: path, method: request.method.rawValue, status: response.status)
    let shape = ResponseShape(response.body)
    let isLost = state.withLock { state -> Bool in
      // Developer routes are not part of the app's API.
      if let shape, !path.hasPrefix("/dev/") {
        if state.shapes[key] == nil { state.shapes[key] = shape } else { state.shapes[key]?.merge(shape) }
      }
      guard state.lost?.path == path else { return false }
      state.lost?.answer.bodies.append(response.body)
      state.lost?.answer.keys.append(HTTPField.Name("Idempotency-Key").flatMap { request.headers[$0] })
      return state.lost?.answer.bodies.count == 1
    }
    if isLost { throw .connectionLost(mayHaveBeenProcessed: true) }
    return response
  }
}
