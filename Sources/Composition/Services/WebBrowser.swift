import Foundation

/// The user's browser.
struct WebBrowser: Sendable, Equatable {
  /// The program that opens an address, and its arguments before the address.
  let command: [String]

  /// The programs that open an address, the usual one first.
  private static let candidates = [["xdg-open"], ["gio", "open"], ["wslview"], ["sensible-browser"], ["x-www-browser"]]

  /// `POSIX_SPAWN_SETSID` of spawn.h, which Glibc's Swift module leaves out.
  private static let newSession: Int16 = 0x80

  /// The browser where a command was typed; nil if none is to be opened there or if nothing can open one.
  ///
  /// Only absolute folders of `PATH` are searched, so that no program of the working folder is run.
  init?(
    _ surroundings: Surroundings, isExecutable: (String) -> Bool = { FileManager.default.isExecutableFile(atPath: $0) }
  ) {
    guard surroundings.hasBrowser else { return nil }
    let folders = (surroundings.variables["PATH"] ?? "").split(separator: ":").filter { $0.hasPrefix("/") }
    for candidate in Self.candidates {
      guard let folder = folders.first(where: { isExecutable("\($0)/\(candidate[0])") }) else { continue }
      command = ["\(folder)/\(candidate[0])"] + candidate.dropFirst()
      return
    }
    return nil
  }

  /// Opens an address, without waiting for it.
  ///
  /// The program gets a session of its own, so that it has no terminal to read from or to write to.
  ///
  /// - Returns: Whether the program was started.
  @discardableResult func open(_ address: String) -> Bool {
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    var noSignals = sigset_t()
    sigemptyset(&noSignals)
    posix_spawnattr_setsigmask(&attributes, &noSignals)
    posix_spawnattr_setflags(&attributes, Self.newSession | Int16(POSIX_SPAWN_SETSIGMASK))
    var words = (command + [address]).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process: pid_t = 0
    guard posix_spawn(&process, command[0], &actions, &attributes, &words, environ) == 0 else { return false }
    let child = process
    // Reaped on a thread of its own, because some of these programs run as long as the browser.
    Thread.detachNewThread {
      var status: Int32 = 0
      while waitpid(child, &status, 0) < 0 && errno == EINTR {}
    }
    return true
  }
}
