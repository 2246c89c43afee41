import Dispatch
import Glibc

/// SIGTERM and SIGINT as something to wait for.
final class StopSignal {
  private let signals: AsyncStream<Void>
  private let sources: [any DispatchSourceSignal]

  /// From now on the signals end nothing by themselves.
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

  /// Returns with the first signal.
  func wait() async {
    var received = signals.makeAsyncIterator()
    await received.next()
  }
}
