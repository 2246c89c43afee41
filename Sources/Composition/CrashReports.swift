import Glibc

/// What a crash tells: the Swift runtime's backtrace shows registers and the memory behind them, in which tokens lie.
package enum CrashReports {
  /// The runtime's switch, which it reads before `main`.
  private static let variable = "SWIFT_BACKTRACE"
  /// The only value that is respected; whatever else somebody has set is replaced.
  private static let off = "enable=no"
  /// The process that has begun once more, so that it never does so again.
  private static let guardVariable = "UNDERSTUDY_BACKTRACE_OFF"
  /// The signals that the runtime makes a backtrace of.
  private static let signals = [SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP]

  /// Turns backtraces off: the program begins once more, as the same process with the same arguments, if the runtime's switch says
  /// anything else.
  ///
  /// To be called before anything is read or started. If the program cannot begin again, its crash signals lose the runtime's handlers.
  package static func turnOff() {
    if text(of: variable) == off { return }
    let process = String(getpid())
    if text(of: guardVariable) != process, setenv(guardVariable, process, 1) == 0, setenv(variable, off, 1) == 0 {
      // The path rather than the link, whose name the process would have from then on.
      if let path = program() { execv(path, CommandLine.unsafeArgv) }
      execv("/proc/self/exe", CommandLine.unsafeArgv)
    }
    for signal in signals { Glibc.signal(signal, SIG_DFL) }
  }

  private static func text(of variable: String) -> String? { getenv(variable).map { String(cString: $0) } }

  /// The program's path; nil if it cannot be told.
  private static func program() -> String? {
    guard let path = realpath("/proc/self/exe", nil) else { return nil }
    defer { free(path) }
    return String(cString: path)
  }
}
