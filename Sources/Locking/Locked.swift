package import Glibc

/// A value that only one thread at a time can access; the only lock of this project.
///
/// `Synchronization.Mutex` is not used because it stores its owner's thread ID, which it reads from a thread-local variable. If
/// the optimizer inlines it into an async function, it may compute the variable's address once, keep it in the async frame across
/// an `await`, and lock in the name of the thread that ran the function before. The lock then traps ("Call to unlock Mutex on a
/// thread which hasn't acquired the lock") or deadlocks. LLVM has the same bug with C++ coroutines (llvm-project issues 47179 and
/// 63022). `Tests/Release/stale-thread` reproduces it, and `test_mutex_fault.py` reports when a compiler has fixed it.
///
/// The C library's mutex reads the thread ID inside a function that is never inlined into its caller, so `withLock` may be
/// inlined anywhere. An uncontended lock takes 9 ns (`make bench WORK=lock`); a `Mutex` behind a function that is never inlined
/// takes 39 ns.
///
/// `@unchecked Sendable`: it owns the C mutex and the memory of the value, and gives access to the value only while the mutex is
/// locked.
package struct Locked<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
  @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
  @usableFromInline let value: UnsafeMutablePointer<Value>

  /// Creates a lock around a value.
  @inlinable package init(_ value: consuming sending Value) {
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    #if DEBUG
      // Detects a thread that waits for itself, which costs a few nanoseconds.
      var attributes = pthread_mutexattr_t()
      pthread_mutexattr_init(&attributes)
      pthread_mutexattr_settype(&attributes, CInt(PTHREAD_MUTEX_ERRORCHECK))
      pthread_mutex_init(mutex, &attributes)
      pthread_mutexattr_destroy(&attributes)
    #else
      // Fails only for attributes that are not used here.
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

  /// Calls `body` with exclusive access to the value and returns its result; rethrows its errors.
  ///
  /// `body` must not take the same lock again: it would deadlock, and traps in a debug build.
  @inlinable package borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    let code = pthread_mutex_lock(mutex)
    assert(code == 0, "a thread takes a lock that it already holds")
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value.pointee)
  }
}
