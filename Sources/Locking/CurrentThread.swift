import Glibc

/// The thread that runs this code.
package enum CurrentThread {
  /// Tells threads of this process apart while they live.
  ///
  /// glibc declares `pthread_self` to be constant, so inlined into an async function its answer may be kept across an `await`, as with
  /// the lock (see `Locked`); this function is never inlined.
  @inline(never) package static var id: UInt { UInt(pthread_self()) }
}
