import CLinux
import Glibc

/// An epoll instance with an `eventfd` that lets other threads end a wait.
struct Poller: ~Copyable {
  /// The token of the `eventfd`; no channel has this value.
  private static let wakeToken = UInt64.max

  private let epoll: Int32
  private let wakeup: Int32
  private let events: UnsafeMutablePointer<epoll_event>
  private let capacity: Int32 = 256

  /// - Throws: ``ReactorError/system(call:code:)`` if the process is out of descriptors.
  init() throws(ReactorError) {
    let epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard epoll >= 0 else { throw .system(call: "epoll_create1", code: errno) }
    let wakeup = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(u64: Self.wakeToken))
    guard wakeup >= 0, epoll_ctl(epoll, EPOLL_CTL_ADD, wakeup, &event) == 0 else {
      let code = errno
      if wakeup >= 0 { Glibc.close(wakeup) }
      Glibc.close(epoll)
      throw .system(call: "eventfd", code: code)
    }
    self.epoll = epoll
    self.wakeup = wakeup
    events = .allocate(capacity: Int(capacity))
  }

  deinit {
    events.deallocate()
    Glibc.close(wakeup)
    Glibc.close(epoll)
  }

  /// Ends the current or the next wait; may be called from any thread.
  func wake() {
    var one: UInt64 = 1
    while Glibc.write(wakeup, &one, 8) < 0, errno == EINTR {}
  }

  /// Registers a descriptor; returns false if the kernel rejects it.
  func add(_ fd: Int32, token: UInt64, events: UInt32) -> Bool { control(EPOLL_CTL_ADD, fd, token, events) }

  /// Changes the events of a registered descriptor.
  func modify(_ fd: Int32, token: UInt64, events: UInt32) -> Bool { control(EPOLL_CTL_MOD, fd, token, events) }

  /// Removes a descriptor that stays open.
  func remove(_ fd: Int32) { _ = control(EPOLL_CTL_DEL, fd, 0, 0) }

  private func control(_ operation: Int32, _ fd: Int32, _ token: UInt64, _ events: UInt32) -> Bool {
    var event = epoll_event(events: events, data: epoll_data_t(u64: token))
    return epoll_ctl(epoll, operation, fd, &event) == 0
  }

  /// Waits until a descriptor is ready, `milliseconds` have passed (-1: no limit) or ``wake()`` is called. Calls `onWake`, then
  /// `body` with the token and events of each ready descriptor.
  func wait(milliseconds: Int32, onWake: () -> Void, _ body: (_ token: UInt64, _ events: UInt32) -> Void) {
    // On EINTR `count` is negative; the caller's next turn computes a new timeout.
    let count = epoll_wait(epoll, events, capacity, milliseconds)
    onWake()
    var index = 0
    while index < Int(count) {
      let event = events[index]
      index += 1
      if event.data.u64 == Self.wakeToken {
        var counter: UInt64 = 0
        _ = Glibc.read(wakeup, &counter, 8)
      } else {
        body(event.data.u64, event.events)
      }
    }
  }
}
