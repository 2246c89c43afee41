import Domain
import FoundationEssentials
import Observability
import RPC

extension AttemptSender {
  /// The refresh call: without auth, retry or 401 handling by construction.
  ///
  /// Where the connection is lost after the request went out, the backend may have spent the token already; asked again at
  /// once, it answers the same successor (contract §3: 10 s), while the same question later would end the session.
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

  /// Tells the backend that a session is over, whose tokens this device no longer holds; whether it heard makes no difference.
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
