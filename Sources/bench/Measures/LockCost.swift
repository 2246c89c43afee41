import Glibc
import Locking

/// Measures an uncontended lock, compared with a pthread mutex in the same rounds.
enum LockCost {
  private static let rounds = 40
  private static let perRound = 250_000

  private final class Shared: Sendable {
    let number = Locked(0)
  }

  /// Locks, increments and unlocks in alternating rounds.
  static func measure() -> [Figure] {
    let shared = Shared()
    let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
    defer {
      pthread_mutex_destroy(mutex)
      mutex.deallocate()
    }
    var own: [Double] = []
    var reference: [Double] = []
    var count: Int = 0
    for _ in 0..<Self.rounds {
      own.append(nanoseconds { for _ in 0..<perRound { shared.number.withLock { $0 &+= 1 } } })
      reference.append(
        nanoseconds {
          for _ in 0..<perRound {
            pthread_mutex_lock(mutex)
            count &+= 1
            pthread_mutex_unlock(mutex)
          }
        })
    }
    let cost = median(own)
    let other = median(reference)
    return [
      Figure(
        work: "an uncontended lock (pthread_mutex_t \(Figure.number(other)) ns, \(count) times each)", goal: "≤ 25 ns",
        measured: "\(Figure.number(cost)) ns", isMet: cost <= 25)
    ]
  }

  private static func nanoseconds(_ body: () -> Void) -> Double {
    let started = ContinuousClock.now
    body()
    return Quantiles([ContinuousClock.now - started])(0) * 1000 / Double(perRound)
  }
}
