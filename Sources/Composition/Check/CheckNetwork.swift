import Client
import Domain
import HTTPTypes
import Locking

/// The way of the checked devices to their backend, which can be cut, can lose an answer, and notes what answers look like.
final class CheckNetwork: Sendable {
  /// Names a kind of answer: two of the same are expected to look alike.
  struct ResponseKey: Hashable, Comparable, Sendable {
    let path: String
    let method: String
    let status: Int

    /// By path, method, status.
    static func < (one: ResponseKey, other: ResponseKey) -> Bool {
      (one.path, one.method, one.status) < (other.path, other.method, other.status)
    }
  }

  /// A request whose first answer was withheld from the client, with what came of it.
  struct LostResponse: Sendable {
    /// The body that the client did not get to see, and that of the next answer.
    var bodies: [[UInt8]] = []
    /// The `Idempotency-Key` of each request; nil where it carried none.
    var keys: [String?] = []
  }

  private struct State {
    var isCut = false
    /// The path whose answers are looked at, with how it goes.
    var lost: (path: String, answer: LostResponse)?
    var shapes: [ResponseKey: ResponseShape] = [:]
  }

  /// Where nobody listens: the port is for privileged programs, and long out of use.
  private static let nowhere = "https://127.0.0.1:1"

  private let origin: String
  private let direct: RotatingTransport
  private let cut: RotatingTransport
  private let state = Locked(State())

  /// Makes the way to `origin`; throws as `RotatingTransport.init`.
  init(origin: String, configuration: TransportConfiguration) throws(TransportError) {
    self.origin = origin
    direct = try RotatingTransport(configuration)
    var straight = configuration
    straight.proxy = .none
    cut = try RotatingTransport(straight)
  }

  /// The network as the value that the client chain takes.
  var transport: Transport {
    Transport { request async throws(TransportError) in try await self.send(request) }
  }

  /// What the answers so far looked like.
  var shapes: [ResponseKey: ResponseShape] { state.withLock { $0.shapes } }

  /// Cuts the way, or mends it: over a cut one no connection is made.
  func setOffline(_ isCut: Bool) { state.withLock { $0.isCut = isCut } }

  /// Withholds the next answer of the path from the client, as a connection does that breaks after the request was read.
  func loseNextResponse(of path: String) { state.withLock { $0.lost = (path, LostResponse()) } }

  /// What came of the answer to be lost; the next ones are not looked at any more.
  func takeLostResponse() -> LostResponse {
    state.withLock { state in
      defer { state.lost = nil }
      return state.lost?.answer ?? LostResponse()
    }
  }

  /// Ends both ways.
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
      // Developers' routes are no part of what an app speaks.
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
