import Domain
import FoundationEssentials
import Observability
import RPC
import Redaction

extension AttemptSender {
  /// Exchanges a refresh token; by construction without authentication, retry or 401 handling.
  ///
  /// If the connection is lost after the request was sent, the backend may have used the token already. It returns the same
  /// successor to a repeated request within 10 s and would end the session later, so the call is repeated once at once.
  var refreshCall: RefreshCall {
    { refreshToken, cause, admission throws(RefreshFailure) in
      let refused: AttemptResponse
      do throws(NetworkError) {
        let answer = try await refresh(refreshToken, cause, admission)
        if answer.isSuccess {
          let pair = try APIClient.decode(TokenPair.self, from: answer)
          return try SessionTokens(
            pair, sentAt: answer.sentAt, sentWall: answer.sentWall, clockCorrection: clock.correctionSeconds,
            answeredAt: answer.answeredAt, keeping: refreshToken)
        }
        refused = answer
      } catch {
        throw RefreshFailure(error)
      }
      let (status, code) = (refused.response.status, refused.error?.meaningOnRefresh)
      // A refresh names nothing that could be missing or in conflict: such an answer comes from a wrong address, or a proxy on the way.
      throw RefreshFailure(
        [404, 409].contains(status) ? .server(statusCode: status) : AttemptFailure(refused, wall: clock.ownSeconds).error,
        refusal: UnauthorizedRules.logoutReason(
          onRefresh: status, code: code, hasError: refused.error != nil, isPage: refused.isPage))
    }
  }

  private func refresh(
    _ refreshToken: String, _ cause: RefreshCause, _ admission: @escaping Admission
  ) async throws(NetworkError) -> AttemptResponse {
    secrets.register(refreshToken, kind: .token)
    var call = try Call(
      AuthEndpoints.RefreshTokens(), body: RefreshRequest(refreshToken: refreshToken), now: time.monotonic(), flow: cause.flow)
    call.admission = admission
    do throws(NetworkError) {
      return try await once(&call, token: nil, parent: cause.parentRow)
    } catch .connectionLost(mayHaveBeenProcessed: true) {
      return try await once(&call, token: nil, parent: cause.parentRow)
    }
  }

  /// Tells the backend that a session is over whose tokens this device has already removed; ignores the outcome.
  func sendLogout(accessToken: String, timeout: EndpointTimeout) async {
    guard var call = try? Call(AuthEndpoints.Logout(), body: NoBody(), now: time.monotonic(), timeout: timeout) else { return }
    _ = try? await once(&call, token: accessToken, parent: nil)
  }

  private func once(_ call: inout Call, token: String?, parent: String?) async throws(NetworkError) -> AttemptResponse {
    do throws(AttemptFailure) {
      return try await perform(&call, token: token, parent: parent)
    } catch {
      throw error.error
    }
  }
}
