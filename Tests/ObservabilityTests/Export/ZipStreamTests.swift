import Foundation
import JSON
import Support
import Testing

@testable import Observability

/// Archives, read by Python's `zipfile` and, if installed, by `unzip`.
@Suite(.timeLimit(.minutes(1))) struct ZipStreamTests {
  private static let instant = Timestamp(milliseconds: 1_795_511_107_000)

  private func archive(_ files: [ExportFile]) async throws -> [UInt8] {
    let stream = try ZipStream(files: files, createdAt: Self.instant)
    var bytes: [UInt8] = []
    while let chunk = try await stream.next() {
      #expect(!chunk.isEmpty)
      bytes += chunk
    }
    #expect(try await stream.next() == nil)
    return bytes
  }

  /// The output of a program and its exit status.
  static func run(_ program: String, _ arguments: [String], in folder: String? = nil) async throws -> (
    output: String, status: Int32
  ) {
    try await OwnThread.run {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = [program] + arguments
      if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
      let pipe = Pipe()
      process.standardOutput = pipe
      process.standardError = pipe
      try process.run()
      let output = (try? pipe.fileHandleForReading.readToEnd()) ?? nil
      process.waitUntilExit()
      return (String(decoding: output ?? Data(), as: UTF8.self), process.terminationStatus)
    }
  }

  @Test func othersReadWhatWasWritten() async throws {
    var random = SplitMix(state: 3)
    let noise = (0..<(3 << 20)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    let files = [
      ExportFile(name: "empty.txt", pieceCount: 0) { _ in [] },
      ExportFile(name: "one.json") { Array(#"{"a":1}"#.utf8) },
      ExportFile(name: "noise.bin", pieceCount: 48) { index in Array(noise[(index << 16)..<((index + 1) << 16)]) },
      ExportFile(name: "same.txt", pieceCount: 400) { _ in [UInt8](repeating: 0x61, count: 10_000) },
      ExportFile(name: "curl/é-1.sh", pieceCount: 3) { index in index == 1 ? [] : Array("echo \(index)\n".utf8) },
    ]
    let folder = try TemporaryFolder()
    let path = folder.file("a.zip")
    try Data(try await archive(files)).write(to: URL(fileURLWithPath: path))
    for file in files {
      try Data(ExportExample.bytes(file)).write(to: URL(fileURLWithPath: folder.file(file.name.replacing("/", with: "-"))))
    }
    let program = """
      import sys, zipfile, os
      archive = zipfile.ZipFile(sys.argv[1])
      assert archive.testzip() is None
      for info in archive.infolist():
          expected = open(os.path.join(os.path.dirname(sys.argv[1]), info.filename.replace('/', '-')), 'rb').read()
          assert archive.read(info) == expected, info.filename
          assert info.file_size == len(expected)
          print(info.filename, info.date_time, oct(info.external_attr >> 16))
      """
    let python = try await Self.run("python3", ["-c", program, path])
    #expect(python.status == 0, "\(python.output)")
    let lines = python.output.split(separator: "\n")
    #expect(lines.count == files.count)
    #expect(lines.first == "empty.txt (2026, 11, 24, 9, 5, 6) 0o100600", "\(lines.first ?? "")")
    let unzip = try await Self.run("unzip", ["-tq", path])
    #expect(unzip.status == 0 || unzip.status == 127, "\(unzip.output)")
  }

  @Test func anArchiveWithoutFilesIsOne() async throws {
    let bytes = try await archive([])
    #expect(bytes.count == 22 && bytes.prefix(4).elementsEqual([0x50, 0x4b, 5, 6]))
  }

  @Test func moreFilesThanAnArchiveCountsAreRefused() async throws {
    let files = (0...ZipDirectory.maximumCount).map { number in ExportFile(name: "\(number)") { [] } }
    #expect(throws: ZipStream.Failure.tooLarge) { try ZipStream(files: files, createdAt: Self.instant) }
    let bytes = try await archive(Array(files.dropLast()))
    #expect(bytes.suffix(22).prefix(4).elementsEqual([0x50, 0x4b, 5, 6]))
  }
}
