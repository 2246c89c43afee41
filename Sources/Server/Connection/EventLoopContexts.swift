import Reactor

/// The context of each loop of one server.
struct EventLoopContexts: Sendable {
  private let contexts: [(loop: EventLoop, context: EventLoopContext)]

  /// One for each loop of the group.
  init(_ core: ServerCore, _ group: EventLoopGroup) { contexts = group.loops.map { ($0, EventLoopContext(core)) } }

  /// The loop's context; a loop of another group, which no listener serves, gets the first.
  func context(of loop: EventLoop) -> EventLoopContext {
    contexts.first { $0.loop === loop }?.context ?? contexts[0].context
  }
}
