import CLinux
import Glibc

/// Keeps the memory of this process, which contains keys and tokens, from crash reports, core dumps and other processes.
package enum ProcessHardening {
  /// The signals for which the Swift runtime prints a backtrace.
  private static let signals = [SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP]

  /// Turns off backtraces, which show registers and the memory behind them, regardless of `SWIFT_BACKTRACE`.
  ///
  /// Call it before reading any input. A crash then ends the process at once and prints at most the message of a trap. The
  /// runtime reads its variable before `main` and acts only from its signal handlers, so removing those is enough; starting the
  /// process again with the variable set would double the start time. The variable is set for child processes.
  package static func disableBacktraces() {
    for signal in signals { Glibc.signal(signal, SIG_DFL) }
    setenv("SWIFT_BACKTRACE", "enable=no", 1)
  }

  /// Keeps the memory from core dumps, from other processes of this user and from debuggers; returns whether the system accepted
  /// it.
  @discardableResult
  package static func forbidDumps() -> Bool { clinux_forbid_dumps() == 0 }
}
