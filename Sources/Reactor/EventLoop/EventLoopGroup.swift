/// The event loops of a process, usually one for each core.
package final class EventLoopGroup: Sendable {
  /// The loops, at least one.
  package let loops: [EventLoop]

  private init(loops: [EventLoop]) { self.loops = loops }

  /// Starts `count` loops, at least one, each on its own thread.
  package static func start(count: Int) throws(ReactorError) -> EventLoopGroup {
    var loops: [EventLoop] = []
    for index in 0..<max(1, count) { loops.append(try EventLoop.start(name: "loop-\(index)")) }
    return EventLoopGroup(loops: loops)
  }

  /// Ends the idle reads of all streams that allow it, from now on; see ``ByteStream/interruptsIdleReads``.
  package func interruptIdleReads() {
    for loop in loops { loop.interruptIdleReads() }
  }

  /// Stops every loop and returns when their threads have ended.
  package func stop() async {
    for loop in loops { await loop.stop() }
  }
}
