import Glibc

/// The current thread.
package enum CurrentThread {
  /// The thread's ID, unique within this process while the thread exists.
  ///
  /// glibc declares `pthread_self` as constant, so if it were inlined into an async function, its result could be kept across an
  /// `await`, as with the lock (see `Locked`). It is never inlined for that reason.
  @inline(never) package static var id: UInt { UInt(pthread_self()) }
}
