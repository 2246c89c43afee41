import Foundation

/// Another program, started without a terminal and without the signals that this process ignores.
enum ChildProcess {
  /// The group that the program leads.
  enum Group {
    /// A session, which has no terminal.
    case session
    /// A process group, so that its children can be ended with it.
    case processGroup
  }

  /// `POSIX_SPAWN_SETSID` of spawn.h, which Glibc's Swift module leaves out.
  private static let newSession: Int16 = 0x80

  /// Starts a program; nil if it cannot be started.
  ///
  /// - Parameters:
  ///   - arguments: The program's absolute path and its arguments; at least the path.
  ///   - output: The descriptor that becomes its standard output; nil discards the output. Its errors are always discarded.
  /// - Returns: The process, which the caller reaps.
  static func start(_ arguments: [String], leading group: Group, output: Int32? = nil) -> pid_t? {
    guard let program = arguments.first else { return nil }
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    if let output {
      posix_spawn_file_actions_adddup2(&actions, output, 1)
    } else {
      posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    }
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    keepDescriptors()
    // The program would also ignore a signal that this process ignores: `yes | head` would never end there.
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigaddset(&signals, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    var flags = Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)
    switch group {
    case .session: flags |= newSession
    case .processGroup: flags |= Int16(POSIX_SPAWN_SETPGROUP)
    }
    posix_spawnattr_setflags(&attributes, flags)
    var words = arguments.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process: pid_t = 0
    return posix_spawn(&process, program, &actions, &attributes, &words, environ) == 0 ? process : nil
  }

  /// Hides all descriptors of this process from the programs that it starts, including those that libraries open, such as
  /// libcurl's sockets.
  private static func keepDescriptors() {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? [] {
      guard let descriptor = Int32(name), descriptor > 2 else { continue }
      let flags = fcntl(descriptor, F_GETFD)
      if flags >= 0 { _ = fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC) }
    }
  }

  /// Waits until a child has ended, and returns its status as `waitpid` has it; blocks.
  @discardableResult static func reap(_ process: pid_t) -> Int32 {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 && errno == EINTR {}
    return status
  }
}
