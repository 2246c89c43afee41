import JSON

/// The fixed durations of the backend, in milliseconds unless stated otherwise.
enum Lifetimes {
  static let accessToken: Int64 = 15 * 60_000
  /// How long an unused refresh token is valid.
  static let refreshIdle: Int64 = 14 * day
  /// How long a session lasts, however often it is refreshed.
  static let refreshAbsolute: Int64 = 90 * day
  /// How long the rows of an ended session are stored, so that its spent tokens are still recognized.
  static let endedSessionRetention: Int64 = 30 * day
  /// How long a spent refresh token still returns its successor, if that is unused.
  static let refreshGrace: Int64 = 10_000
  /// The time between the request for deletion and the deletion of an account.
  static let deletionGrace: Int64 = 14 * day
  /// How long the response to an idempotency key is stored.
  static let idempotency: Int64 = day
  /// How long a link or code is valid.
  static let message: Int64 = 10 * 60_000
  /// The most attempts at the code of one message.
  static let codeAttempts = 5
  static let codeLength = 6
  /// How far the nonce of a signature may be from the time of the machine, in seconds.
  static let signatureWindow: Int64 = 300
  static let day: Int64 = 86_400_000
}

extension Timestamp {
  /// Returns the instant that many milliseconds later, clamped to the range of `Timestamp`.
  func adding(_ milliseconds: Int64) -> Timestamp {
    let (sum, overflows) = self.milliseconds.addingReportingOverflow(milliseconds)
    return Timestamp(milliseconds: overflows ? (milliseconds > 0 ? .max : .min) : sum)
  }

  /// Returns the whole seconds until a later instant, rounded down; 0 if it has passed.
  func seconds(until later: Timestamp) -> Int {
    Int(clamping: max(0, later.milliseconds - milliseconds) / 1000)
  }
}
