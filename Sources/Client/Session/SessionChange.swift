/// What became of the session, told by its controller within its own turn, so that nothing can come between.
package enum SessionChange: Hashable, Sendable {
  /// Kept tokens were taken up again: the session of before the restart.
  case restored(epoch: UInt64, sessionID: String)
  /// Somebody signed in.
  case loggedIn(epoch: UInt64, sessionID: String)
  /// The session has another token pair; the id is the one that the backend named with it.
  case refreshed(epoch: UInt64, sessionID: String)
  /// Nobody is signed in (any more).
  case ended
  /// The device goes to sleep: its session is the next launch's.
  case closed
}
