import Compression
import Foundation
import JSON
import Support
import Testing

@testable import Observability

@Suite(.timeLimit(.minutes(1))) struct ZipArchiveTests {
  private static let text = Array("text of a file".utf8)

  private static func crc(_ bytes: [UInt8]) -> UInt32 {
    var checksum = Checksum()
    checksum.update(bytes)
    return checksum.value
  }

  private static func stored(_ name: String = "a.txt", _ data: [UInt8] = text) -> ArchiveWriter.File {
    ArchiveWriter.File(name: name, data: data, crc: crc(data), size: UInt32(data.count))
  }

  private static func deflated(_ data: [UInt8], size: Int? = nil) throws -> ArchiveWriter.File {
    let packed = try Deflater.compress(data, as: .raw, level: 6)
    return ArchiveWriter.File(
      name: "a.txt", data: packed, method: 8, crc: crc(data), size: UInt32(size ?? data.count))
  }

  private func read(_ writer: ArchiveWriter, upTo limit: Int = 1 << 20) throws(ArchiveError) -> [UInt8] {
    try ZipArchive(writer.bytes).file("a.txt", upTo: limit)
  }

  // MARK: What others and this program write

  @Test func anArchiveOfThisProgramIsRead() async throws {
    let files = [
      ExportFile(name: "empty", pieceCount: 0) { _ in [] }, ExportFile(name: "curl/é.sh") { Self.text },
      ExportFile(name: "long", pieceCount: 400) { Array("line \($0)\n".utf8) },
    ]
    let stream = try ZipStream(files: files, createdAt: Timestamp(milliseconds: 0))
    var bytes: [UInt8] = []
    while let chunk = try await stream.next() { bytes += chunk }
    let archive = try ZipArchive(bytes)
    #expect(archive.names == files.map(\.name) && ZipArchive.isZip(bytes))
    for file in files { #expect(try archive.file(file.name, upTo: 1 << 20) == ExportExample.bytes(file)) }
  }

  @Test(arguments: ["ZIP_STORED", "ZIP_DEFLATED"]) func anArchiveOfPythonIsRead(compression: String) async throws {
    let folder = try TemporaryFolder()
    let program = """
      import sys, zipfile
      with zipfile.ZipFile(sys.argv[1], "w", zipfile.\(compression)) as archive:
          archive.comment = b"PK\\x05\\x06 in a comment"
          archive.writestr("folder/", "")
          archive.writestr("folder/a.har", "x" * 5000)
      """
    let path = folder.file("a.zip")
    let run = try await ZipStreamTests.run("python3", ["-c", program, path])
    try #require(run.status == 0, "\(run.output)")
    let archive = try ZipArchive([UInt8](Data(contentsOf: URL(fileURLWithPath: path))))
    #expect(archive.names == ["folder/", "folder/a.har"])
    #expect(try archive.file("folder/a.har", upTo: 5000) == [UInt8](repeating: 0x78, count: 5000))
    #expect(throws: ArchiveError(.tooLarge(4999), "folder/a.har")) { try archive.file("folder/a.har", upTo: 4999) }
    let file = try #require(FileBytes(path: path))
    #expect(try ZipArchive(file).file("folder/a.har", upTo: 5000) == [UInt8](repeating: 0x78, count: 5000))
    #expect(FileBytes(path: folder.path) == nil && FileBytes(path: "\(path).missing") == nil)
  }

  // MARK: What is damaged or hostile

  @Test func everyCutIsDamage() throws {
    let bytes = ArchiveWriter(files: [Self.stored(), Self.stored("b.txt")]).bytes
    #expect(try ZipArchive(bytes).names == ["a.txt", "b.txt"])
    for length in 0..<bytes.count {
      #expect(throws: ArchiveError(.endsEarly)) { try ZipArchive(Array(bytes[..<length])) }
    }
  }

  @Test func everyChangedByteIsReadOrRefused() throws {
    let bytes = ArchiveWriter(files: [try Self.deflated(Self.text), Self.stored("b.txt")]).bytes
    #expect(try ZipArchive(bytes).file("a.txt", upTo: 1 << 20) == Self.text)
    for index in bytes.indices {
      for flip in [UInt8(0xff), 0x01, 0x80] {
        var changed = bytes
        changed[index] ^= flip
        guard let archive = try? ZipArchive(changed), let content = try? archive.file("a.txt", upTo: 1 << 20) else { continue }
        #expect(content == Self.text, "byte \(index)")
      }
    }
  }

  @Test func aFieldThatContradictsTheBytesIsRefusedWithTheEntryAtFault() throws {
    func refusal(_ fault: ArchiveError.Fault, of entry: String? = "a.txt", _ change: (inout ArchiveWriter) -> Void) throws {
      var writer = ArchiveWriter(files: [Self.stored()])
      change(&writer)
      #expect(throws: ArchiveError(fault, entry)) { try read(writer) }
    }
    #expect(try read(ArchiveWriter(files: [Self.stored()], comment: [1, 2, 3])) == Self.text)
    try refusal(.damagedDirectory, of: nil) { $0.count = 2 }
    try refusal(.damagedDirectory, of: nil) { $0.count = 60_000 }
    try refusal(.damagedDirectory, of: nil) { $0.directoryOffset = 0 }
    try refusal(.damagedDirectory, of: nil) { $0.directoryOffset = 0xffff_fff0 }
    try refusal(.damagedDirectory, of: nil) { $0.directorySize = 1 }
    try refusal(.tooManyEntries, of: nil) { $0.directorySize = 0xffff_fff0 }
    try refusal(.severalVolumes, of: nil) { $0.disk = 1 }
    try refusal(.zip64, of: nil) { $0.count = 0xffff }
    try refusal(.zip64, of: nil) { $0.directoryOffset = 0xffff_ffff }
    try refusal(.zip64) { $0.files[0].compressedSize = 0xffff_ffff }
    try refusal(.overlap) { $0.files[0].offset = 0xffff_fff0 }
    try refusal(.header) { $0.files[0].offset = 1 }
    try refusal(.size) { $0.files[0].size = 3 }
    try refusal(.checksum) { $0.files[0].crc ^= 1 }
    try refusal(.damagedData) { $0.files[0].method = 8 }
    try refusal(.duplicateName) { $0.files.append(Self.stored()) }
    try refusal(.overlap, of: "b.txt") {
      $0.files.append(Self.stored("b.txt"))
      $0.files[1].offset = 0
    }
    try refusal(.damagedDirectory, of: nil) { $0.files[0].name = "b.txt" }
    try refusal(.encrypted) { $0.files[0].flags = 1 }
    try refusal(.compression(12)) { $0.files[0].method = 12 }
    for name in ["/a", "../a", "a/../b", "a\\b", "C:a", "a\u{7f}", "a\n", ".."] {
      try refusal(.unsafeName, of: name) { $0.files[0].name = name }
    }
    for name in ["a/b", "..a", "a..", "é"] {
      #expect(try ZipArchive(ArchiveWriter(files: [Self.stored(name)]).bytes).file(name, upTo: 100) == Self.text)
    }
  }

  @Test func aBombIsNotUnpacked() throws {
    let zeros = [UInt8](repeating: 0, count: 8 << 20)
    let honest = try Self.deflated(zeros)
    #expect(honest.data.count * ZipArchive.ratioLimit < zeros.count, "it is one")
    #expect(throws: ArchiveError(.ratio, "a.txt")) { try read(ArchiveWriter(files: [honest]), upTo: 64 << 20) }
    // The size that the header claims is the limit, whatever the data becomes.
    let lying = try Self.deflated(zeros, size: 1000)
    #expect(throws: ArchiveError(.size, "a.txt")) { try read(ArchiveWriter(files: [lying]), upTo: 64 << 20) }
    #expect(throws: ArchiveError(.tooLarge(13), "a.txt")) {
      try read(ArchiveWriter(files: [Self.stored()]), upTo: Self.text.count - 1)
    }
  }

  @Test func aLongFileComesInPieces() throws {
    let long = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) }
    for file in [try Self.deflated(long), Self.stored("a.txt", long)] {
      let reader = try ZipArchive(ArchiveWriter(files: [file]).bytes).reader(of: "a.txt", upTo: 4 << 20)
      var content: [UInt8] = []
      var most: Int = 0
      while let piece = try reader.next() {
        content += piece
        most = max(most, piece.count)
        #expect(reader.made == content.count)
      }
      #expect(content == long && most <= 256 << 10 && reader.size == long.count)
      #expect(try reader.next() == nil)
    }
  }
}
