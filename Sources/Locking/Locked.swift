package import Glibc

/// A value that one thread at a time may use; the only lock of this project.
///
/// Why not `Synchronization.Mutex`: it records its owner by thread id, which it reads through a thread-local variable. If the optimizer
/// inlines it into an async function, it may compute the address of that variable once, keep it in the async frame across an `await`,
/// and lock in the name of the thread that ran the function before. The lock then traps ("Call to unlock Mutex on a thread which
/// hasn't acquired the lock"), or waits forever. LLVM knows this fault from C++ coroutines (llvm-project issues 47179 and 63022).
/// `Tests/Release/stale-thread` shows it, and `test_mutex_fault.py` tells when a compiler has mended it.
///
/// The C library's mutex finds its thread inside a function that no caller inlines, so `withLock` may be inlined anywhere. An
/// uncontended lock costs 9 ns (`make bench WORK=lock`); a `Mutex` behind a function that is never inlined costs 39 ns.
///
/// `@unchecked Sendable`: it owns the C mutex and the memory of the value, and hands the value out under the mutex alone.
package struct Locked<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
  @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
  @usableFromInline let value: UnsafeMutablePointer<Value>

  /// A lock around a value.
  @inlinable package init(_ value: consuming sending Value) {
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    #if DEBUG
      // Tells of a thread that waits for itself, at the price of a few nanoseconds.
      var attributes = pthread_mutexattr_t()
      pthread_mutexattr_init(&attributes)
      pthread_mutexattr_settype(&attributes, CInt(PTHREAD_MUTEX_ERRORCHECK))
      pthread_mutex_init(mutex, &attributes)
      pthread_mutexattr_destroy(&attributes)
    #else
      // Fails only for attributes that are not asked for.
      pthread_mutex_init(mutex, nil)
    #endif
    self.value = .allocate(capacity: 1)
    self.value.initialize(to: value)
  }

  deinit {
    value.deinitialize(count: 1)
    value.deallocate()
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Calls `body` with the value while no other thread uses it, and returns what it returns; rethrows its errors.
  ///
  /// `body` must not take the same lock again: it would wait forever, and traps in a debug build.
  @inlinable package borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    let code = pthread_mutex_lock(mutex)
    assert(code == 0, "a thread waits for a lock that it has taken itself")
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value.pointee)
  }
}
