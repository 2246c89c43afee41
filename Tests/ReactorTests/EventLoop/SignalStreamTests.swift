import Glibc
import Reactor
import Testing

@Suite(.serialized, .timeLimit(.minutes(1)))
struct SignalStreamTests {
  @Test func aSignalIsKeptUntilSomebodyWaits() async {
    let signals = await SignalStream.catching(SIGUSR2)
    kill(getpid(), SIGUSR2)
    #expect(await signals.next() == SIGUSR2)
  }

  /// A task that waited for the first signal and was cancelled must not look like a signal to the next one.
  @Test func aCancelledWaitEndsWithoutASignalAndSpoilsNothing() async {
    let signals = await SignalStream.catching(SIGUSR2)
    for _ in 0..<3 {
      let waiting = Task { await signals.next() }
      waiting.cancel()
      #expect(await waiting.value == nil)
    }
    let next = Task { await signals.next() }
    kill(getpid(), SIGUSR2)
    #expect(await next.value == SIGUSR2)
  }
}
