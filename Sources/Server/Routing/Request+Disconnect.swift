import Reactor

extension Request {
  /// Runs `work` for this client only, such as a long poll, and cancels it if the client disconnects.
  ///
  /// The work runs on the connection's event loop, so it must not block.
  ///
  /// A client that closes its sending side counts as disconnected: a server cannot tell the two apart until it writes.
  package func cancellingOnDisconnect<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) async -> Value {
    guard let stream = io?.stream else { return await work() }
    // On the event loop, so that neither start nor end waits for the shared thread pool.
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
    // The connection's next request may also watch for a disconnect, and only one watcher is allowed at a time.
    await watcher.value
    return value
  }
}
