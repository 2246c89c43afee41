@preconcurrency import Dispatch
import Glibc

/// Signals that are delivered to a task, and no longer end the process.
///
/// A signal that arrives while nobody waits is kept. Signals of one kind that arrive together may be delivered as one (signal(7)).
final class SignalStream: Sendable {
  /// The signals in the order of their arrival, for one task.
  let values: AsyncStream<Int32>
  private let sources: [DispatchSource]

  private init(values: AsyncStream<Int32>, sources: [DispatchSource]) {
    (self.values, self.sources) = (values, sources)
  }

  deinit { for source in sources { source.cancel() } }

  /// Waits for a signal; returns at once if one has arrived.
  func first() async { for await _ in values { return } }

  /// Catches what asks a program to end: SIGTERM, SIGINT, and SIGHUP unless it is ignored, as by nohup.
  static func ofEnd() async -> SignalStream {
    var hangup = sigaction()
    sigaction(SIGHUP, nil, &hangup)
    // The disposition is kept as an address, which a constant cannot be compared with.
    let isIgnored = unsafeBitCast(hangup.__sigaction_handler.sa_handler, to: Int.self) == 1
    return isIgnored ? await catching(SIGTERM, SIGINT) : await catching(SIGTERM, SIGINT, SIGHUP)
  }

  /// Returns once the signals are caught.
  static func catching(_ signals: Int32...) async -> SignalStream {
    let queue = DispatchQueue(label: "understudy.signals")
    let (values, continuation) = AsyncStream.makeStream(of: Int32.self)
    var sources: [DispatchSource] = []
    for signal in signals {
      guard let source = DispatchSource.makeSignalSource(signal: signal, queue: queue) as? DispatchSource else { continue }
      source.setEventHandler { continuation.yield(signal) }
      await withCheckedContinuation { registered in
        source.setRegistrationHandler { registered.resume() }
        source.resume()
      }
      sources.append(source)
    }
    return SignalStream(values: values, sources: sources)
  }
}
