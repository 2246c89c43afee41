import Domain
import RPC

/// A failed call, and whether the backend may have carried it out nevertheless.
struct TrackedCallError: Error, Hashable, Sendable {
  let error: NetworkError
  let mayHaveReachedBackend: Bool
}

extension APIClient {
  /// Makes a call whose effect matters even if its response is lost.
  func sendTrackingEffect<E: APIEndpoint>(_ endpoint: E) async throws(TrackedCallError) -> E.ResponseBody
  where E.RequestBody == NoBody {
    var call: Call
    do throws(NetworkError) {
      call = try Call(endpoint, body: NoBody(), now: time.monotonic())
    } catch {
      throw TrackedCallError(error: error, mayHaveReachedBackend: false)
    }
    do throws(NetworkError) {
      return try await receiveUncached(E.self, &call).body
    } catch {
      throw TrackedCallError(error: error, mayHaveReachedBackend: call.mayHaveReachedBackend)
    }
  }
}

extension TransportError {
  /// Whether the request may have been carried out: it was not stopped before its first byte.
  var mayHaveReachedBackend: Bool {
    switch self {
    case .offline, .timedOut(.connect), .tls, .pinMismatch, .invalidURL: false
    case .connectionLost(let mayHaveBeenProcessed): mayHaveBeenProcessed
    case .timedOut, .cancelled, .responseTooLarge, .malformedResponse: true
    }
  }
}
