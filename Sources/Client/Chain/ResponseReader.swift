import JSON
import RPC

/// Decodes the response body of an endpoint before the attempt's row is finished, so that the row says what is wrong with it.
struct ResponseReader: Sendable {
  /// Decodes a successful response; throws `unexpectedPayload`.
  let read: @Sendable (AttemptResponse) throws(NetworkError) -> any Sendable

  /// Creates the reader of an endpoint's responses.
  init<E: APIEndpoint>(_ endpoint: E.Type) {
    read = { answer throws(NetworkError) in
      let body = try APIClient.decode(E.ResponseBody.self, from: answer)
      // Tokens that no session can have are as unreadable as none.
      if let pair = body as? TokenPair {
        let isRefresh = E.self == AuthEndpoints.RefreshTokens.self || E.self == AuthEndpoints.AppRefreshToken.self
        let kept = isRefresh ? "kept" : nil
        _ = try SessionTokens(pair, sentAt: answer.sentAt, sentWall: answer.sentWall, keeping: kept)
      }
      return body
    }
  }
}
