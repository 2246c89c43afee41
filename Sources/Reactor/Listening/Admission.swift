/// Decides, before anything is spent on a connection, whether it is let in.
package struct Admission: Sendable {
  /// Called on the loop for each accepted connection; where it is true, ``leave`` follows once that connection has ended.
  package var enter: @Sendable (SocketAddress) -> Bool
  /// Called when a connection that was let in has ended.
  package var leave: @Sendable (SocketAddress) -> Void

  /// Made of both.
  package init(enter: @escaping @Sendable (SocketAddress) -> Bool, leave: @escaping @Sendable (SocketAddress) -> Void) {
    (self.enter, self.leave) = (enter, leave)
  }
}
