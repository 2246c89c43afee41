import Glibc

/// What a crash tells: the Swift runtime's backtrace shows registers and the memory behind them, in which tokens lie.
package enum CrashReports {
  /// The signals that the runtime makes a backtrace of.
  private static let signals = [SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP]

  /// Turns backtraces off, whatever `SWIFT_BACKTRACE` says: a crash ends the process at once and prints the message of a trap at most.
  ///
  /// To be called before anything is read. The runtime reads its variable before `main` and only ever acts from its signal handlers, so
  /// they are taken away; to begin once more with the variable set would cost as much time again as a start. The variable is for the
  /// processes that this one starts.
  package static func turnOff() {
    for signal in signals { Glibc.signal(signal, SIG_DFL) }
    setenv("SWIFT_BACKTRACE", "enable=no", 1)
  }
}
