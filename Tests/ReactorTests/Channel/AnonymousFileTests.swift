import CLinux
import Glibc
import Testing

@testable import Reactor

@Suite struct AnonymousFileTests {
  private static func read(_ file: AnonymousFile, _ start: Int, _ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = max(pread(file.descriptor, buffer.baseAddress, count, off_t(start)), 0)
    }
  }

  private static func blocks(_ file: AnonymousFile) -> Int {
    var status = stat()
    return fstat(file.descriptor, &status) == 0 ? Int(status.st_blocks) : -1
  }

  @Test func partsStandApartAndAreGivenBack() throws {
    let file = try #require(AnonymousFile())
    let first = pattern(10_000)
    let second = pattern(300_000).reversed() as [UInt8]
    let start = try #require(file.add(first))
    let other = try #require(file.add(second))
    #expect(Self.read(file, start, first.count) == first)
    #expect(Self.read(file, other, second.count) == second)
    let before = Self.blocks(file)
    file.remove(other, second.count)
    #expect(Self.blocks(file) <= before - second.count / 512)
    #expect(Self.read(file, start, first.count) == first)
    // The offset is not reused: data still being sent from it would change.
    #expect(try #require(file.add([1])) > other)
  }

  @Test func itHoldsNoMoreThanItsLimit() throws {
    let file = try #require(AnonymousFile(limit: 20_000))
    let start = try #require(file.add(pattern(10_000)))
    #expect(file.add(pattern(10_000)) == nil)
    file.remove(start, 10_000)
    #expect(file.add(pattern(16_000)) != nil)
  }

  @Test func sharedBytesAreInItForAsLongAsTheyLive() throws {
    let file = try #require(AnonymousFile.shared)
    let bytes = pattern(SharedBytes.fileThreshold)
    var shared: SharedBytes? = SharedBytes(bytes)
    let start = try #require(shared?.start)
    #expect(Self.read(file, start, bytes.count) == bytes)
    shared = nil
    #expect(Self.read(file, start, bytes.count).allSatisfy { $0 == 0 })
    #expect(SharedBytes(Array(bytes.dropLast())).start == nil)
  }
}
