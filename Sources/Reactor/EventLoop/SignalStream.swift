@preconcurrency import Dispatch
import Glibc
import Locking

/// Signals that are delivered to a task instead of ending the process.
///
/// A signal that arrives while no task waits is kept. Signals of one kind that arrive together may be delivered as one
/// (signal(7)). Unlike an `AsyncStream`, it continues after a waiting task is canceled.
package final class SignalStream: Sendable {
  private let arrivals: Arrivals
  private let sources: [DispatchSource]

  private init(_ arrivals: Arrivals, sources: [DispatchSource]) { (self.arrivals, self.sources) = (arrivals, sources) }

  deinit { for source in sources { source.cancel() } }

  /// Returns the next signal, kept ones first; nil if the task is canceled. Only one task may wait at a time.
  @discardableResult
  package func next() async -> Int32? { await arrivals.next() }

  /// Returns once the signals are caught.
  package static func catching(_ signals: Int32...) async -> SignalStream {
    let queue = DispatchQueue(label: "understudy.signals")
    let arrivals = Arrivals()
    var sources: [DispatchSource] = []
    for signal in signals {
      guard let source = DispatchSource.makeSignalSource(signal: signal, queue: queue) as? DispatchSource else { continue }
      source.setEventHandler { arrivals.add(signal) }
      await withCheckedContinuation { registered in
        source.setRegistrationHandler { registered.resume() }
        source.resume()
      }
      sources.append(source)
    }
    return SignalStream(arrivals, sources: sources)
  }
}

/// The signals without a waiting task, or the task that waits for one.
private final class Arrivals: Sendable {
  private struct State {
    var kept: [Int32] = []
    var waiter: CheckedContinuation<Int32?, Never>?
  }

  private let state = Locked(State())

  func add(_ signal: Int32) {
    let waiter = state.withLock { state in
      defer { state.waiter = nil }
      if state.waiter == nil { state.kept.append(signal) }
      return state.waiter
    }
    waiter?.resume(returning: signal)
  }

  func next() async -> Int32? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        enum Turn { case take(Int32?), wait }
        let turn = state.withLock { state -> Turn in
          // The handler may have run before there was a waiter.
          if Task.isCancelled { return .take(nil) }
          guard state.kept.isEmpty else { return .take(state.kept.removeFirst()) }
          state.waiter = continuation
          return .wait
        }
        if case .take(let signal) = turn { continuation.resume(returning: signal) }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        defer { state.waiter = nil }
        return state.waiter
      }
      waiter?.resume(returning: nil)
    }
  }
}
