import Foundation
import Locking

/// `understudy backend` in a child process.
final class BackendProcess: Sendable {
  private let process: Locked<Process>
  let readyLine: String

  /// Starts it on a free port and returns once the ready line arrives; its log goes to the file `log`.
  init(data: String, arguments: [String] = [], log: String? = nil) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try ConsoleProcess.binary())
    process.arguments = ["backend", "--data", data, "--port", "0"] + arguments
    process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("UNDERSTUDY_") }
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    if let log {
      // Kept over restarts, like the folder's data.
      if !FileManager.default.fileExists(atPath: log) { try Data().write(to: URL(fileURLWithPath: log)) }
      let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: log))
      try handle.seekToEnd()
      process.standardError = handle
    }
    try ConsoleProcess.start(process)
    var line = Data()
    while !line.contains(10) {
      let next = output.fileHandleForReading.availableData
      guard !next.isEmpty else {
        process.waitUntilExit()
        throw ConsoleProcess.Failure.ended(status: process.terminationStatus, error: "no ready line")
      }
      line += next
    }
    readyLine = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .newlines)
    self.process = Locked(process)
  }

  deinit { process.withLock { if $0.isRunning { kill($0.processIdentifier, SIGKILL) } } }

  /// Sends a signal and waits for the end; returns the exit code.
  func end(by signal: Int32) -> Int32 {
    process.withLock { process in
      kill(process.processIdentifier, signal)
      process.waitUntilExit()
      return process.terminationStatus
    }
  }
}
