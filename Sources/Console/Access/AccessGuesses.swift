import Domain
import HTTPTypes
import Logging
package import Server

/// Wrong access tokens count against their client and against all; see ``GuessLimit``.
extension Application.Parts {
  /// What a look at the token finds, nil for a wrong one; throws the problem of too many, whatever the token is.
  func guessing<Found: Sendable>(_ request: Request, _ test: () -> Found?) throws(Problem) -> Found? {
    // A console without a token has nothing to guess.
    guard access.isGuarded else { return test() }
    do throws(GuessLimit.Refusal) {
      return try guesses.attempt(by: request.client, at: time.monotonic(), test)
    } catch {
      if error.isFirst {
        logger.warning(
          "too many wrong access tokens: further tries are refused",
          metadata: ["client": "\(request.clientName)", "seconds": "\(error.retryAfterSeconds)"])
      }
      throw .tooManyGuesses(retryAfter: error.retryAfterSeconds)
    }
  }

  /// Whether the request shows the token as `Authorization: Bearer`, where one is asked for; showing nothing is no guess.
  func admitsBearer(_ request: Request) throws(Problem) -> Bool {
    guard access.isGuarded, request.headers[.authorization] != nil else { return access.admitsBearer(request) }
    return try guessing(request) { access.admitsBearer(request) ? true : nil } ?? false
  }
}

extension GuessLimit {
  /// What is counted at an instant, with its limits.
  package func bounds(at now: ContinuousClock.Instant) -> [Bound] {
    let counts = counts(at: now)
    return [
      Bound("wrong_access_tokens", limit: Self.limit, used: counts.all),
      Bound("wrong_access_tokens_of_a_client", limit: Self.clientLimit, used: counts.client),
    ]
  }
}

extension Problem {
  /// So many wrong access tokens came that no more are looked at.
  static func tooManyGuesses(retryAfter seconds: Int) -> Problem {
    Problem(.tooManyRequests, "too_many_attempts", "Too many wrong access tokens came.", retryAfterSeconds: seconds)
  }
}
