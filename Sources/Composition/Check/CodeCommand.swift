import Foundation
import Text

/// The user's command that prints the message sent to an identifier.
///
/// It is run by `sh` with the identifier and the kind of message as `$1` and `$2`: as arguments and not as part of the command,
/// so that they are never interpreted.
struct CodeCommand: Sendable {
  let command: String
  /// The timeout of all runs together.
  var limit = Duration.seconds(30)
  /// The pause between runs.
  var pause = Duration.seconds(1)

  /// The most bytes read from its output.
  private static let outputLimit = 4096

  /// How one run ended.
  private enum RunResult: Sendable {
    case printed(String)
    case noOutput(reason: String)
    case timedOut
    case unusable
  }

  /// Returns its trimmed output, a code or link. A run that prints nothing, fails, or prints `usedCode` again is repeated.
  ///
  /// Throws `CheckStop`, which contains no part of the output.
  func run(identifier: String, kind: String, otherThan usedCode: String?) async throws(CheckStop) -> String {
    let deadline = ContinuousClock.now + limit
    while true {
      let why: String
      switch await runOnce(identifier: identifier, kind: kind, until: deadline) {
      case .printed(let text) where text != usedCode: return text
      case .printed: why = "it printed the previous code again"
      case .noOutput(let reason): why = reason
      case .timedOut: throw .failed("--code-command did not end within \(limit.components.seconds) s")
      case .unusable: throw .failed("--code-command cannot be run")
      }
      guard ContinuousClock.now + pause < deadline, !Task.isCancelled else { throw .failed("--code-command: \(why)") }
      try? await Task.sleep(for: pause)
    }
  }

  /// Runs the command once on its own thread, because waiting for it blocks.
  private func runOnce(identifier: String, kind: String, until deadline: ContinuousClock.Instant) async -> RunResult {
    let command = command
    return await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(returning: Self.spawn(["/bin/sh", "-c", command, "sh", identifier, kind], until: deadline))
      }
    }
  }

  private static func spawn(_ arguments: [String], until deadline: ContinuousClock.Instant) -> RunResult {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return .unusable }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // It has its own process group, so that its children end with it. Its error output is discarded, because it may quote a message.
    let process = ChildProcess.start(arguments, leading: .processGroup, output: ends[1])
    close(ends[1])
    guard let process else {
      close(ends[0])
      return .unusable
    }
    let output = read(ends[0], until: deadline)
    close(ends[0])
    // A process that closed its output may still run.
    let hasEnded = output != nil && hasEnded(process, by: deadline)
    // Before the process is reaped, while its id is still its own: kills its remaining children.
    kill(-process, SIGKILL)
    let status = ChildProcess.reap(process)
    guard let output, hasEnded else { return .timedOut }
    guard status == 0 else { return .noOutput(reason: "it failed") }
    let text = output.trimmingWhitespace
    return text.isEmpty ? .noOutput(reason: "it printed nothing") : .printed(text)
  }

  /// Everything up to the end of the stream, cut to the limit; nil after the deadline.
  private static func read(_ descriptor: Int32, until deadline: ContinuousClock.Instant) -> String? {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let left = ContinuousClock.now.duration(to: deadline) / .milliseconds(1)
      guard left > 0 else { return nil }
      var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let count = poll(&ready, 1, Int32(min(left.rounded(.up), 60_000)))
      if count == 0 || (count < 0 && errno == EINTR) { continue }
      let read = Glibc.read(descriptor, &buffer, buffer.count)
      if read < 0 && errno == EINTR { continue }
      guard read > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += buffer[..<read].prefix(max(0, outputLimit - bytes.count))
    }
  }

  /// Whether the process ends in time; does not reap it.
  private static func hasEnded(_ process: pid_t, by deadline: ContinuousClock.Instant) -> Bool {
    while true {
      var ending = siginfo_t()
      let failure = waitid(P_PID, id_t(process), &ending, WEXITED | WNOHANG | WNOWAIT)
      if failure == 0, ending._sifields._sigchld.si_pid == process { return true }
      guard ContinuousClock.now < deadline else { return false }
      usleep(2000)
    }
  }
}
