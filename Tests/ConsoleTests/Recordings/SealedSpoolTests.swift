import Foundation
import Observability
import Support
import Testing

@testable import Console

/// A file that waits to be imported is readable only for the process that wrote it.
@Suite(.timeLimit(.minutes(1))) struct SealedSpoolTests {
  private static let bytes = (0..<300_001).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }

  @Test func anyPartIsReadAsItWasWritten() throws {
    let folder = try TemporaryFolder()
    let spool = try SealedSpool(folder: folder.path)
    var next = 0
    for length in [0, 1, 65_535, 1, 70_000, 131_072, 33_392] {
      try spool.append(Array(Self.bytes[next..<(next + length)]))
      next += length
      #expect(spool.count == next)
    }
    #expect(next == Self.bytes.count)
    for (offset, count) in [(0, 300_001), (0, 0), (300_001, 0), (65_535, 2), (65_536, 65_536), (131_071, 100_000), (300_000, 1)] {
      #expect(try spool.read(at: offset, count) == Array(Self.bytes[offset..<(offset + count)]))
    }
    for (offset, count) in [(-1, 1), (0, -1), (0, 300_002), (300_001, 1), (Int.max, 1)] {
      #expect(throws: ArchiveError(.unreadable)) { try spool.read(at: offset, count) }
    }
  }

  @Test func nothingIsLeftInTheFolderAndNothingIsReadable() throws {
    let folder = try TemporaryFolder()
    let spool = try SealedSpool(folder: folder.path)
    let secret = Array("0123456789abcdef".utf8)
    try spool.append(Array(repeatElement(secret, count: 20_000).joined()))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    let own = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter { name in
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
      return target?.hasPrefix("\(folder.path)/import-") == true
    }
    #expect(own.count == 1)
    let stored = try Data(contentsOf: URL(fileURLWithPath: "/proc/self/fd/\(try #require(own.first))"))
    #expect(stored.count == 4 * (65_536 + 28) && stored.range(of: Data(secret)) == nil)
  }

  @Test func aFolderThatCannotBeWrittenIsAFullDisk() {
    #expect(throws: Problem.storageFull) { try SealedSpool(folder: "/proc/none") }
  }
}
