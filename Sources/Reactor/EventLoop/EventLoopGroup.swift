/// The event loops of a process, one per core.
package final class EventLoopGroup: Sendable {
  /// The loops, at least one.
  package let loops: [EventLoop]

  private init(loops: [EventLoop]) { self.loops = loops }

  /// Starts `count` loops, each on a thread of its own; a count below one means one.
  package static func start(count: Int) throws(ReactorError) -> EventLoopGroup {
    var loops: [EventLoop] = []
    for index in 0..<max(1, count) { loops.append(try EventLoop.start(name: "loop-\(index)")) }
    return EventLoopGroup(loops: loops)
  }

  /// Ends the reads of every stream that allows it, now and from now on; see ``ByteStream/interruptsIdleReads``.
  package func interruptIdleReads() {
    for loop in loops { loop.interruptIdleReads() }
  }

  /// Stops every loop and returns once their threads have ended.
  package func stop() async {
    for loop in loops { await loop.stop() }
  }
}
