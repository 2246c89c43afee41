import Foundation

/// The user's browser.
struct WebBrowser: Sendable, Equatable {
  /// The program that opens an address, and its arguments before the address.
  let command: [String]
  /// The mask of the files that it creates, in place of this process's.
  let fileMask: mode_t

  /// The programs that open an address, the usual one first.
  private static let candidates = [["xdg-open"], ["gio", "open"], ["wslview"], ["x-www-browser"]]

  /// The browser of the terminal in which the command was typed; nil if a browser must not or cannot be opened there.
  ///
  /// Only absolute folders of `PATH` are searched, so that no program of the working folder is run.
  init?(
    _ surroundings: Surroundings, fileMask: mode_t = 0o022,
    isExecutable: (String) -> Bool = { FileManager.default.isExecutableFile(atPath: $0) }
  ) {
    guard surroundings.hasBrowser else { return nil }
    let folders = (surroundings.variables["PATH"] ?? "").split(separator: ":").filter { $0.hasPrefix("/") }
    for candidate in Self.candidates {
      guard let folder = folders.first(where: { isExecutable("\($0)/\(candidate[0])") }) else { continue }
      command = ["\(folder)/\(candidate[0])"] + candidate.dropFirst()
      self.fileMask = fileMask
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
    // The browser's own files must not get this process's mask.
    let shell = ["/bin/sh", "-c", #"umask "$0" && exec "$@""#, String(fileMask, radix: 8)]
    guard let child = ChildProcess.start(shell + command + [address], leading: .session) else { return false }
    // Reaped on a thread of its own, because some of these programs run as long as the browser.
    Thread.detachNewThread { ChildProcess.reap(child) }
    return true
  }
}
