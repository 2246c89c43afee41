import Domain
import FoundationEssentials
import Observability
import RPC

extension AttemptSender {
  /// Exchanges a refresh token; by construction without authentication, retry or 401 handling.
  ///
  /// If the connection is lost after the request was sent, the backend may have used the token already. It returns the same
  /// successor to a repeated request within 10 s and would end the session later, so the call is repeated once at once.
  var refreshCall: RefreshCall {
    { refreshToken, cause throws(NetworkError) in
      secrets.register(refreshToken, kind: .token)
      var call = try Call(
        AuthEndpoints.RefreshTokens(), body: RefreshRequest(refreshToken: refreshToken), now: time.monotonic(), flow: cause.flow)
      let answer: AttemptResponse
      do throws(NetworkError) {
        answer = try await once(&call, token: nil, parent: cause.parentRow)
      } catch .connectionLost(mayHaveBeenProcessed: true) {
        answer = try await once(&call, token: nil, parent: cause.parentRow)
      }
      let pair = try APIClient.decode(TokenPair.self, from: answer)
      return try SessionTokens(pair, sentAt: answer.sentAt, sentWall: answer.sentWall)
    }
  }

  /// Tells the backend that a session is over whose tokens this device has already removed; ignores the outcome.
  func sendLogout(accessToken: String, timeout: EndpointTimeout) async {
    guard var call = try? Call(AuthEndpoints.Logout(), body: NoBody(), now: time.monotonic(), timeout: timeout) else { return }
    _ = try? await once(&call, token: accessToken, parent: nil)
  }

  private func once(_ call: inout Call, token: String?, parent: String?) async throws(NetworkError) -> AttemptResponse {
    do throws(AttemptFailure) {
      let answer = try await perform(&call, token: token, parent: parent)
      guard answer.isSuccess else { throw AttemptFailure(answer, wall: clock.ownSeconds) }
      return answer
    } catch {
      throw error.error
    }
  }
}
