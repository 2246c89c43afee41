import Domain
import HTTPTypes
import Observability
import RPC

extension APIClient {
  /// Sends a request that a person wrote, with everything that the app's own calls get: token, signature, retries, refresh.
  ///
  /// It asks the backend whatever the cache holds. `onRow` hears the id of each attempt's row as it begins.
  package func send(_ request: ComposedRequest, onRow: @escaping @Sendable (String) -> Void) async throws(NetworkError) {
    var call = Call(request, now: time.monotonic())
    call.onRow = onRow
    var epoch: UInt64?
    let answer = try await perform(&call, requiresAuth: request.isAuthorized, epoch: &epoch)
    cache.invalidate(after: call, answer)
    if let epoch, await !session.isCurrent(epoch: epoch) { throw .sessionEnded }
  }
}
