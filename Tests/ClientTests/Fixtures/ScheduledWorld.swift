import Client
import Domain
import FoundationEssentials
import JSON
import RPC
import Locking

/// A random schedule of a session: a backend that issues, expires and rotates tokens, calls that follow the 401 rules, and a
/// record of every violation.
final class ScheduledWorld: Sendable {
  private struct State {
    var random: SeededRandom
    var issued = 0
    var users = 0
    /// The user of each token.
    var access: [String: Int] = [:]
    var refresh: [String: Int] = [:]
    var spent: Set<String> = []
    /// Access tokens that the session knows to be rejected.
    var reported: Set<String> = []
    var faults: [String] = []
    var requests = 0
    /// Access tokens that got a 401 at least once.
    var refused: Set<String> = []
    var refreshes = 0
    var failedRefreshes = 0
  }

  private let state: Locked<State>
  private let time: Time

  init(seed: UInt64, time: Time) {
    state = Locked(State(random: SeededRandom(seed: seed)))
    self.time = time
  }

  /// The violations found.
  var faults: [String] { state.withLock { $0.faults } }
  /// The number of requests sent.
  var requests: Int { state.withLock { $0.requests } }

  /// The number of refreshes beyond one for each rejected token and one for each failed refresh.
  var excess: Int { state.withLock { $0.refreshes - $0.refused.count - $0.failedRefreshes } }

  func below(_ bound: UInt64) -> UInt64 { state.withLock { $0.random.below(bound) } }

  /// A login of another user.
  func login() throws(NetworkError) -> SessionTokens {
    try issue(
      to: state.withLock { state in
        state.users += 1
        return state.users
      })
  }

  /// Makes every access token expire.
  func expire() { state.withLock { $0.access = [:] } }

  /// Whether the backend would accept the refresh token.
  func isGood(_ refreshToken: String) -> Bool { state.withLock { $0.refresh[refreshToken] != nil } }

  /// The refresh call: rotates, or fails, transiently or for good.
  func refresh(_ token: String) async throws(RefreshFailure) -> SessionTokens {
    for _ in 0..<below(4) { await Task.yield() }
    let (user, fate) = state.withLock { state in
      if !state.spent.insert(token).inserted, state.refresh[token] == nil { state.faults.append("\(token) was spent twice") }
      state.refreshes += 1
      let fate = state.random.below(20)
      if fate < 4 || state.refresh[token] == nil { state.failedRefreshes += 1 }
      return (state.refresh[token], fate)
    }
    guard let user else {
      throw RefreshFailure(
        .rejected(status: 401, code: BackendErrorCode.refreshTokenReused), refusal: .refreshTokenReused)
    }
    switch fate {
    case 0: throw RefreshFailure(.offline)
    case 1: throw RefreshFailure(.server(statusCode: 503))
    case 2: throw RefreshFailure(.unexpectedPayload(.notJSON))
    case 3: throw RefreshFailure(.rejected(status: 400, code: nil), refusal: .refreshRefused)
    default:
      let tokens: SessionTokens
      do throws(NetworkError) { tokens = try issue(to: user) } catch { throw RefreshFailure(error) }
      state.withLock { $0.refresh[token] = nil }
      for _ in 0..<below(4) { await Task.yield() }
      return tokens
    }
  }

  /// A call as the chain makes it: add the token, send, and handle a 401 by the rules.
  func call(_ session: SessionController) async -> Result<Void, NetworkError> {
    do throws(NetworkError) { return .success(try await run(session)) } catch { return .failure(error) }
  }

  private func run(_ session: SessionController) async throws(NetworkError) {
    var epoch: UInt64?
    var user: Int?
    var isReplay = false
    let deadline = time.monotonic() + .seconds(600)
    while true {
      let reported = state.withLock { $0.reported }
      let credential = try await session.credential(epoch: epoch, deadline: deadline, cause: RefreshCause())
      let token = credential.accessToken
      let owner = token.split(separator: "-").first.flatMap { Int($0) }
      state.withLock { state in
        state.requests += 1
        if reported.contains(token) { state.faults.append("\(token) went out although it was known to be bad") }
        if let epoch, epoch != credential.stamp.epoch { state.faults.append("\(token) went out under another epoch") }
        if let user, user != owner { state.faults.append("\(token) went out for user \(user)") }
      }
      (epoch, user) = (credential.stamp.epoch, owner)
      for _ in 0..<below(4) { await Task.yield() }
      let code = refusal(of: token)
      for _ in 0..<below(4) { await Task.yield() }
      guard let code else { return }
      switch UnauthorizedRules.step(code: code, isReplay: isReplay) {
      case .fail(let error): throw error
      case .logout(let reason):
        if await session.end(credential.stamp, reason: reason) { throw .sessionEnded }
      case .refreshAndReplay:
        isReplay = true
        defer { if UnauthorizedRules.rejectsAccessToken(code: code) { state.withLock { _ = $0.reported.insert(token) } } }
        try await session.recover(
          credential.stamp, isKnownBad: UnauthorizedRules.rejectsAccessToken(code: code), deadline: deadline,
          cause: RefreshCause())
      }
    }
  }

  /// The backend's error code for a token; nil for a valid one, and sometimes a 401 without a known code.
  private func refusal(of token: String) -> String? {
    state.withLock { state in
      let isRefused = state.access[token] == nil
      guard isRefused || state.random.below(40) == 0 else { return nil }
      state.refused.insert(token)
      return isRefused ? BackendErrorCode.accessTokenExpired : "something_else"
    }
  }

  private func issue(to user: Int) throws(NetworkError) -> SessionTokens {
    let number = state.withLock { state in
      state.issued += 1
      state.access["\(user)-a\(state.issued)"] = user
      state.refresh["\(user)-r\(state.issued)"] = user
      return state.issued
    }
    let pair = TokenPair(
      accessToken: "\(user)-a\(number)", refreshToken: "\(user)-r\(number)", expiresIn: 900,
      expiresAt: nil,
      refreshExpiresIn: 1000, refreshExpiresAt: nil, sessionID: "s", profile: nil)
    return try SessionTokens(pair, sentAt: time.monotonic(), sentWall: time.wall())
  }
}
