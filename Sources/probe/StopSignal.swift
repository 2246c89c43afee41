import Dispatch
import Glibc

/// Waits for SIGTERM or SIGINT.
final class StopSignal {
  private let signals: AsyncStream<Void>
  private let sources: [any DispatchSourceSignal]

  /// From now on the signals no longer end the process.
  init() {
    let (signals, sender) = AsyncStream.makeStream(of: Void.self)
    self.signals = signals
    sources = [SIGTERM, SIGINT].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { sender.yield() }
      source.resume()
      return source
    }
  }

  /// Returns at the first signal.
  func wait() async {
    var received = signals.makeAsyncIterator()
    await received.next()
  }
}
