import Domain
import HTTPTypes
import Logging
package import Server

/// Wrong access tokens count for their client and for all clients; see ``GuessLimit``.
extension Application.Dependencies {
  /// The result of a test of the token, nil for a wrong one; throws if there were too many wrong ones, whatever the token is.
  func guessing<Found: Sendable>(_ request: Request, _ test: () -> Found?) throws(Problem) -> Found? {
    // A console without a token has nothing to guess.
    guard access.isGuarded else { return test() }
    do throws(GuessLimit.Refusal) {
      return try guesses.attempt(by: request.client, at: time.monotonic(), test)
    } catch {
      if error.isFirst {
        logger.warning(
          "too many wrong access tokens; more attempts are refused",
          metadata: ["client": "\(request.clientName)", "seconds": "\(error.retryAfterSeconds)"])
      }
      throw .tooManyGuesses(retryAfter: error.retryAfterSeconds)
    }
  }

  /// Whether the request shows the token as `Authorization: Bearer`; a request without that header is not a guess.
  func admitsBearer(_ request: Request) throws(Problem) -> Bool {
    guard access.isGuarded, request.headers[.authorization] != nil else { return access.admitsBearer(request) }
    return try guessing(request) { access.admitsBearer(request) ? true : nil } ?? false
  }
}

extension GuessLimit {
  /// The counts at an instant with their limits.
  package func bounds(at now: ContinuousClock.Instant) -> [Bound] {
    let counts = counts(at: now)
    return [
      Bound("wrong_access_tokens", limit: Self.limit, used: counts.all),
      Bound("wrong_access_tokens_of_a_client", limit: Self.clientLimit, used: counts.client),
    ]
  }
}

extension Problem {
  static func tooManyGuesses(retryAfter seconds: Int) -> Problem {
    Problem(.tooManyAttempts, "There were too many wrong access tokens.", retryAfterSeconds: seconds)
  }
}
