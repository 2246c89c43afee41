import Synchronization

// Prints "sound" if a lock taken in an async function names the thread that runs it, and traps if not (see Sources/Locking/Locked.swift).

#if LOCKED
  typealias Guard = Locked
#else
  typealias Guard = Mutex
#endif

final class Counter: Sendable {
  private let value = Guard(0)
  @inline(__always) func add() { value.withLock { increment(&$0) } }
}

@inline(never) func increment(_ number: inout Int) { number += 1 }

struct Odd: Error {}

var visits = 0

@MainActor @inline(never) func visitMainThread() async throws {
  await Task.yield()
  increment(&visits)
  if visits % 2 == 1 { throw Odd() }
}

/// Locks on both ways out, so the optimizer computes the address of the thread's id once: on the main thread, before the way back.
@inline(never) func count(_ counter: Counter) async throws {
  defer { counter.add() }
  try await visitMainThread()
}

let counter = Counter()
counter.add()  // The main thread learns its id.
// Beside busy tasks, the way back often leads to another thread of the pool than the one before.
let company = (0..<2).map { _ in Task.detached { while !Task.isCancelled { await Task.yield() } } }
await Task.detached { for _ in 0..<2_000 { try? await count(counter) } }.value
for task in company { task.cancel() }
print("sound")
