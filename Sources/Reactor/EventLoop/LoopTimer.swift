/// A timer made by ``EventLoop/schedule(at:_:)``.
package struct LoopTimer: Sendable, Hashable {
  /// Unique within its loop.
  let id: UInt64
}
