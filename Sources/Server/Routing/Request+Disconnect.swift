import Reactor

extension Request {
  /// Does work that is for this client alone, such as a long poll, and cancels it when the client leaves.
  ///
  /// The work runs where the handler runs, so it must not block.
  ///
  /// A client that only says that it sends no more counts as gone too: the two look the same until something is sent.
  package func cancellingOnDisconnect<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) async -> Value {
    guard let stream = io?.stream else { return await work() }
    // On the loop like any handler, so that neither its start nor its end waits for the threads that others share.
    let worker = Task(executorPreference: stream.loop) { await work() }
    let watcher = Task(executorPreference: stream.loop) {
      await stream.waitForPeerClose()
      if !Task.isCancelled { worker.cancel() }
    }
    let value = await withTaskCancellationHandler {
      await worker.value
    } onCancel: {
      worker.cancel()
    }
    watcher.cancel()
    // The next request of the connection may watch as well, and only one may.
    await watcher.value
    return value
  }
}
