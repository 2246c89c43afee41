package import Synchronization

/// A value that one thread at a time may use; the only lock of this project.
///
/// `Synchronization.Mutex` records its owner by thread id, which it reads through a thread-local variable. If the optimizer inlines
/// the lock into an async function, it may compute the address of that variable once, keep it in the async frame across an `await`,
/// and lock in the name of the thread that ran the function before. The lock then traps ("Call to unlock Mutex on a thread which
/// hasn't acquired the lock"), or waits forever. LLVM knows this class of fault from C++ coroutines (llvm-project issues 47179 and
/// 63022). `Tests/Locking/stale-thread` holds the smallest program that shows it.
///
/// So `withLock` is never inlined: it is a synchronous function, in which a thread cannot change. It is inlinable only so that each
/// module gets a copy specialized for its types; `Tests/Locking/test_disassembly.py` looks into the binaries for what escapes this rule.
package struct Locked<Value: ~Copyable>: ~Copyable, Sendable {
  @usableFromInline let mutex: Mutex<Value>

  /// A lock around a value.
  @inlinable package init(_ value: consuming sending Value) { mutex = Mutex(value) }

  /// Calls `body` with the value while no other thread uses it, and returns what it returns; rethrows its errors.
  ///
  /// `body` must not take the same lock again.
  @inlinable @inline(never)
  package borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    try mutex.withLock(body)
  }
}
