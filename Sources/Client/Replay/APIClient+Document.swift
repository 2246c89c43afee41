import Domain
import Observability

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
