import Domain
import HTTPTypes
import Observability
import RPC

extension APIClient {
  /// Sends a composed request like the app's own calls: with token, signature, retries and refresh.
  ///
  /// It bypasses the cache. `onRow` is called with the row id of each attempt as it starts.
  package func send(_ request: ComposedRequest, onRow: @escaping @Sendable (String) -> Void) async throws(NetworkError) {
    var call = Call(request, now: time.monotonic())
    call.onRow = onRow
    var epoch: UInt64?
    let answer = try await perform(&call, requiresAuth: request.isAuthorized, epoch: &epoch)
    cache.invalidate(after: call, answer)
    if let epoch, await !session.isCurrent(epoch: epoch) { throw .sessionEnded }
  }
}
