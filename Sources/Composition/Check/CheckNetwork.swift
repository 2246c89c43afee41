import Client
import HTTPTypes
import Locking
import RPC

/// The network between the devices and their backend, which can be cut and can lose a response.
final class CheckNetwork: Sendable {
  /// A request whose first response was withheld from the client, and the requests that followed.
  struct LostResponse: Sendable {
    /// The body that was withheld, and that of the next response.
    var bodies: [[UInt8]] = []
    /// The `Idempotency-Key` of each request; nil if it had none.
    var keys: [String?] = []
  }

  private struct State {
    var isCut = false
    /// The path whose responses are recorded, and the recording of the lost response.
    var lost: (path: String, answer: LostResponse)?
  }

  /// No process listens here: the port is privileged and long out of use.
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
    let isLost = state.withLock { state -> Bool in
      guard state.lost?.path == path else { return false }
      state.lost?.answer.bodies.append(response.body)
      state.lost?.answer.keys.append(request.headers[.idempotencyKey])
      return state.lost?.answer.bodies.count == 1
    }
    if isLost { throw .connectionLost(mayHaveBeenProcessed: true) }
    return response
  }
}
