import JSON

/// The backend's fixed durations (contract §3), in milliseconds of its clock where nothing else is said.
enum Lifetimes {
  /// How long an access token is good.
  static let accessToken: Int64 = 15 * 60_000
  /// How long a refresh token may lie unused.
  static let refreshIdle: Int64 = 14 * day
  /// How long a session may live by refreshing alone.
  static let refreshAbsolute: Int64 = 90 * day
  /// How long a session's rows outlive it, so that its tokens are still told from unknown ones.
  static let remembranceOfEnded: Int64 = 30 * day
  /// How long the immediate parent of an unused pair still answers with that pair.
  static let refreshGrace: Int64 = 10_000
  /// How long an account that is to be deleted can still be signed in to.
  static let deletionGrace: Int64 = 14 * day
  /// How long an idempotency key answers with what it answered first.
  static let idempotency: Int64 = day
  /// How long a link or a code can be redeemed.
  static let message: Int64 = 10 * 60_000
  /// How many codes may be tried against one message.
  static let codeAttempts = 5
  /// How many digits a code has.
  static let codeLength = 6
  /// How far a signature's nonce may lie from the real time, in seconds.
  static let signatureWindow: Int64 = 300
  /// One day.
  static let day: Int64 = 86_400_000
}

extension Timestamp {
  /// The instant so many milliseconds later, kept inside the years that a timestamp can say.
  func adding(_ milliseconds: Int64) -> Timestamp {
    let (sum, overflows) = self.milliseconds.addingReportingOverflow(milliseconds)
    return Timestamp(milliseconds: overflows ? (milliseconds > 0 ? .max : .min) : sum)
  }

  /// Whole seconds from here to a later instant, rounded down; 0 when it has passed.
  func seconds(until later: Timestamp) -> Int {
    Int(clamping: max(0, later.milliseconds - milliseconds) / 1000)
  }
}
