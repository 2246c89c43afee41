/// The session and token pair of an operation.
package struct SessionStamp: Hashable, Sendable {
  /// Increases with every login, logout and restore.
  package let epoch: UInt64
  /// Increases with every token pair.
  package let version: UInt64
  /// How many refreshes had failed by then.
  package let failures: UInt64
  package init(epoch: UInt64, version: UInt64, failures: UInt64 = 0) {
    self.epoch = epoch
    self.version = version
    self.failures = failures
  }
}

/// An access token and its stamp.
package struct SessionCredential: Hashable, Sendable {
  package let stamp: SessionStamp
  package let accessToken: String
  /// Whether the call that requested it waited for a refresh.
  package var isFresh = false
  /// Whether the refresh that should have replaced it failed, so that it may be invalid.
  package var isDoubtful = false
  /// The session's refresh token and captured values, which a backend file's requests may use.
  package var refreshToken: String?
  package var captured: CapturedSession?
  package init(stamp: SessionStamp, accessToken: String) {
    self.stamp = stamp
    self.accessToken = accessToken
  }
}
