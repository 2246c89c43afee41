import Foundation
import Support
import Locking

/// The real program in a child process.
final class ConsoleProcess: Sendable {
  /// Why it did not start.
  enum Failure: Error {
    case noBinary(String)
    case ended(status: Int32, error: String)
  }

  private let process: Locked<Process>
  private let written: WrittenLines
  private let output: FileHandle
  let port: UInt16
  let readyLine: String

  /// The program next to the test bundle, or the one in `UNDERSTUDY_BINARY`.
  static func binary() throws -> String {
    if let path = ProcessInfo.processInfo.environment["UNDERSTUDY_BINARY"] { return path }
    var folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    if let bundle = CommandLine.arguments.first(where: { $0.hasSuffix(".xctest") }) {
      folder = URL(fileURLWithPath: bundle).deletingLastPathComponent()
    }
    let path = folder.appendingPathComponent("understudy").path
    guard FileManager.default.isExecutableFile(atPath: path) else { throw Failure.noBinary(path) }
    return path
  }

  /// Runs the program to its end; returns its exit code and standard error.
  static func run(_ arguments: [String], environment: [String: String] = [:]) throws -> (
    status: Int32, error: String, output: String
  ) {
    let process = try make(arguments, environment)
    let output = Pipe()
    let error = Pipe()
    process.standardOutput = output
    process.standardError = error
    try Self.start(process)
    let said = output.fileHandleForReading.readDataToEndOfFile()
    let complained = error.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: complained, as: UTF8.self), String(decoding: said, as: UTF8.self))
  }

  /// Starts `serve` and returns once the ready line arrives.
  ///
  /// - Parameter listener: a listening socket to pass on as systemd does (sd_listen_fds(3)).
  init(
    data: String, port: UInt16 = 0, arguments: [String] = [], environment: [String: String] = [:], listener: Int32? = nil
  ) throws {
    let process = try Self.make(["serve", "--data", data, "--port", String(port), "--limits", "off"] + arguments, environment)
    if let listener { Self.activate(process, listener) }
    let output = Pipe()
    let error = Pipe()
    process.standardOutput = output
    process.standardError = error
    try Self.start(process)
    self.output = output.fileHandleForReading
    var line = Data()
    while !line.contains(10) {
      let next = output.fileHandleForReading.availableData
      guard !next.isEmpty else {
        process.waitUntilExit()
        let said = String(decoding: error.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        throw Failure.ended(status: process.terminationStatus, error: said)
      }
      line += next
    }
    readyLine = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .newlines)
    let origin = readyLine.split(separator: " ").dropFirst(2).first ?? ""
    self.port = origin.split(separator: ":").last.flatMap { UInt16($0) } ?? 0
    self.process = Locked(process)
    written = WrittenLines(error.fileHandleForReading)
  }

  /// The shell is replaced by the program, so that the process id it announces is the program's.
  private static func activate(_ process: Process, _ listener: Int32) {
    let script = #"exec 3<&0 </dev/null; export LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=web; exec "$@""#
    process.arguments = ["-c", script, "sh", process.executableURL?.path ?? ""] + (process.arguments ?? [])
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.standardInput = FileHandle(fileDescriptor: listener, closeOnDealloc: false)
  }

  deinit { process.withLock { if $0.isRunning { kill($0.processIdentifier, SIGKILL) } } }

  /// Its standard error so far.
  var log: String { written.text }

  /// Its standard error once it contains a text.
  func log(upTo text: String) -> String {
    OwnThread.wait { log.contains(text) }
    return log
  }

  /// The process id.
  var processID: Int32 { process.withLock { $0.processIdentifier } }

  /// Sends a signal.
  func send(_ signal: Int32) { process.withLock { _ = kill($0.processIdentifier, signal) } }

  /// Sends a signal and waits for the end; returns the exit code, or the signal's number if it was killed.
  @discardableResult
  func end(by signal: Int32) -> Int32 {
    process.withLock { process in
      kill(process.processIdentifier, signal)
      process.waitUntilExit()
      return process.terminationStatus
    }
  }

  /// Foundation's `Process.run()` reads freed memory if several threads call it at once.
  private static let starting = Locked(())

  /// Starts a process, one at a time.
  static func start(_ process: Process) throws {
    try starting.withLock { _ in try process.run() }
  }

  private static func make(_ arguments: [String], _ environment: [String: String]) throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try binary())
    process.arguments = arguments
    var variables = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("UNDERSTUDY_") }
    // The tests run in the package's folder.
    variables["UNDERSTUDY_PUBLIC"] = "Public"
    variables.merge(environment) { $1 }
    process.environment = variables
    return process
  }
}
