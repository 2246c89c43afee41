import Domain

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

extension APIClient {
  /// Fetches a document of the backend for the console itself: signed, without token, cache and retries, on a row whose source is
  /// `tool`.
  ///
  /// Returns a response of any status; `limit` is the largest body in bytes.
  package func fetchDocument(path: String, query: String?, limit: Int) async throws(NetworkError) -> TransportResponse {
    var call = Call(documentAt: path, query: query, limit: limit, now: time.monotonic())
    do throws(AttemptFailure) {
      return try await attemptSender.perform(&call, token: nil, parent: nil).response
    } catch {
      throw error.error
    }
  }
}
