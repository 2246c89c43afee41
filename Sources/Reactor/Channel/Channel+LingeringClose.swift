import CLinux
import Glibc

extension Channel {
  /// The most bytes of input to discard; a browser with too many cookies sends about as much.
  private static let lingering = 1024 * 1024

  /// Closes the sending side.
  func shutdownWrite() {
    guard isOpen else { return }
    shutdown(fd, Int32(SHUT_WR))
  }

  /// See ``ByteStream/closeLingering()``. Encrypted bytes are discarded undecrypted.
  nonisolated(nonsending) func closeLingering() async {
    guard isOpen else { return }
    guard !isWaiting(.reader), shutdown(fd, Int32(SHUT_WR)) == 0 else { return close() }
    interruptsIdleReads = false
    let deadline = ContinuousClock.now + .seconds(1)
    var rest = Self.lingering
    while rest > 0, isOpen {
      let scratch = loop.state.scratch
      clearReady(Channel.readable)
      let count = recv(fd, scratch.baseAddress, min(rest, scratch.count), 0)
      if count > 0 {
        rest -= count
        continue
      }
      let code = count < 0 ? errno : 0
      if code == EINTR { continue }
      if code == EAGAIN {
        guard await wait(.reader, for: Channel.readable, until: deadline) == .ready else { break }
      } else if MemoryShortage.matches(code) {
        guard await self.pause(.reader, until: deadline) == .ready else { break }
      } else {
        break
      }
    }
    close()
  }
}
