import Reactor

/// The desk of each loop of one server.
struct LoopDesks: Sendable {
  private let desks: [(loop: EventLoop, desk: LoopDesk)]

  /// One for each loop of the group.
  init(_ core: ServerCore, _ group: EventLoopGroup) { desks = group.loops.map { ($0, LoopDesk(core)) } }

  /// The loop's desk; a loop of another group, which no listener serves, gets the first.
  func desk(of loop: EventLoop) -> LoopDesk {
    desks.first { $0.loop === loop }?.desk ?? desks[0].desk
  }
}
