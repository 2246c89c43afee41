/// Which session and which of its token pairs something was done with.
package struct SessionStamp: Hashable, Sendable {
  /// Grows with every login, logout and restore.
  package let epoch: UInt64
  /// Grows with every token pair.
  package let version: UInt64

  /// Makes a stamp of its parts.
  package init(epoch: UInt64, version: UInt64) {
    self.epoch = epoch
    self.version = version
  }
}

/// An access token with the stamp that says which one it is.
package struct Credential: Hashable, Sendable {
  package let stamp: SessionStamp
  package let accessToken: String

  /// Makes a credential of its parts.
  package init(stamp: SessionStamp, accessToken: String) {
    self.stamp = stamp
    self.accessToken = accessToken
  }
}
