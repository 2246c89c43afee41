import Domain
import Foundation
import HTTPTypes
import Support
import Testing
import Vault

@testable import Client

/// Edge case 25: whatever a key contains, its file stays in the folder, and whatever is in the folder does no harm.
@Suite(.timeLimit(.minutes(1)))
struct EdgeCase25DiskKeysTests {
  private static let hostile: [String] = [
    "../../etc/x", "/../../etc/x", "a/b", "/", "//", ".", "..", "\0", "/\0/x", "%00", "%2e%2e/x", "/rpc/me", "/rpc/Me", "/RPC/ME",
    "/rpc/me ",
    "/rpc/me/", "~", "$HOME", "-rf", "con", "a\nb", "é", "e\u{301}", "\u{202e}x", String(repeating: "a", count: 5000),
    String(repeating: "a", count: 5001), String(repeating: "../", count: 1700),
  ]

  private func name(_ path: String, query: String? = nil, partition: String = "p") -> DiskCache.Name {
    let key = CacheKey(
      partition: partition, method: .get, origin: "https://backend.test", path: path, query: query, fields: [:])
    return DiskCache.Name(partition: partition, file: key.fileName)
  }

  private func entry(_ text: String) -> CacheEntry {
    CacheEntry(
      headers: [:], body: Array(text.utf8), varied: [], times: CacheTimes(receivedWall: 1, delay: 0), allowsHeuristic: false)
  }

  @Test func everyKeyHasAFileOfItsOwnWithinTheFolder() async throws {
    let folder = try TemporaryFolder()
    let cache = DiskCache(path: folder.file("cache"), key: .random(), limit: 1 << 20)
    for path in Self.hostile {
      cache.write(entry("path \(path)"), to: name(path))
      cache.write(entry("query \(path)"), to: name("/x", query: path))
    }
    for path in Self.hostile {
      #expect(await cache.read(name(path))?.body == Array("path \(path)".utf8))
      #expect(await cache.read(name("/x", query: path))?.body == Array("query \(path)".utf8))
    }
    let files = CacheHarness.files(folder.file("cache"))
    #expect(files.count == 2 * Self.hostile.count)
    #expect(files.allSatisfy { $0.wholeMatch(of: /p\/[0-9a-f]{96}/) != nil })
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["cache"])
  }

  @Test func partsThatRunTogetherAreToldApart() {
    func file(_ partition: String, _ path: String, _ query: String?, _ accept: String? = nil) -> String {
      var fields = HTTPFields()
      fields[.accept] = accept
      return CacheKey(
        partition: partition, method: .get, origin: "https://backend.test", path: path, query: query, fields: fields
      ).fileName
    }
    let names = [
      file("a", "b", "c"), file("ab", "", "c"), file("a", "bc", ""), file("a", "bc", nil), file("a", "b?c", nil),
      file("a", "b", nil, "c"),
      file("a", "b", nil, nil), file("a", "b", nil, ""), file("a", "b", "", nil), file("a", "1:b", "c"), file("a", "b", "-"),
    ]
    #expect(Set(names).count == names.count)
  }

  @Test func equalURLsHaveOneFile() {
    func file(_ origin: String, _ path: String) -> String {
      CacheKey(partition: "p", method: .get, origin: CacheKey.normalizedOrigin(origin), path: path, query: nil, fields: [:])
        .fileName
    }
    #expect(file("https://Backend.test:443", "/a%7eb%2Fc") == file("https://backend.test", "/a~b%2fc"))
    #expect(file("https://backend.test", "") == file("https://backend.test", "/"))
    #expect(file("https://backend.test", "/a%2Fb") != file("https://backend.test", "/a/b"))
    #expect(file("https://backend.test:8443", "/") != file("https://backend.test", "/"))
    // Dot segments are sent as they are, so they make another URL.
    #expect(file("https://backend.test", "/a/../b") != file("https://backend.test", "/b"))
  }

  @Test func truncatedFileIsAMissAndGoes() async throws {
    let folder = try TemporaryFolder()
    let key = SealingKey.random()
    let written = DiskCache(path: folder.file("cache"), key: key, limit: 1 << 20)
    let name = name("/rpc/me")
    written.write(entry("body"), to: name)
    await written.flush()
    let path = folder.file("cache/p/\(name.file)")
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    for count in stride(from: 0, to: whole.count, by: 3) {
      try whole.prefix(count).write(to: URL(fileURLWithPath: path))
      let cache = DiskCache(path: folder.file("cache"), key: key, limit: 1 << 20)
      #expect(await cache.read(name) == nil)
      #expect(!FileManager.default.fileExists(atPath: path))
    }
    try whole.write(to: URL(fileURLWithPath: path))
    #expect(await DiskCache(path: folder.file("cache"), key: key, limit: 1 << 20).read(name)?.body == Array("body".utf8))
  }

  @Test func changedOrForeignFileIsAMissAndGoes() async throws {
    let folder = try TemporaryFolder()
    let key = SealingKey.random()
    let written = DiskCache(path: folder.file("cache"), key: key, limit: 1 << 20)
    let name = name("/rpc/me")
    written.write(entry("body"), to: name)
    await written.flush()
    let path = folder.file("cache/p/\(name.file)")
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    var variants: [Data] = (0..<whole.count).map { index in
      var changed = whole
      changed[index] ^= 1
      return changed
    }
    variants += [whole + [0], Data(repeating: 0, count: 500), Data("hello".utf8)]
    for variant in variants {
      try variant.write(to: URL(fileURLWithPath: path))
      #expect(await DiskCache(path: folder.file("cache"), key: key, limit: 1 << 20).read(name) == nil)
      #expect(!FileManager.default.fileExists(atPath: path))
    }
    // Another key, as after the vault key was lost.
    try whole.write(to: URL(fileURLWithPath: path))
    #expect(await DiskCache(path: folder.file("cache"), key: .random(), limit: 1 << 20).read(name) == nil)
  }

  @Test func fileInAnothersPlaceDoesNotOpen() async throws {
    let folder = try TemporaryFolder()
    let key = SealingKey.random()
    let written = DiskCache(path: folder.file("cache"), key: key, limit: 1 << 20)
    let mine = name("/rpc/me")
    let other = name("/rpc/get_cues")
    let elsewhere = name("/rpc/me", partition: "q")
    written.write(entry("body"), to: mine)
    written.write(entry("x"), to: elsewhere)
    await written.flush()
    let from = folder.file("cache/p/\(mine.file)")
    try FileManager.default.copyItem(atPath: from, toPath: folder.file("cache/p/\(other.file)"))
    try FileManager.default.copyItem(atPath: from, toPath: folder.file("cache/q/\(mine.file)"))
    let cache = DiskCache(path: folder.file("cache"), key: key, limit: 1 << 20)
    #expect(await cache.read(other) == nil)
    #expect(await cache.read(DiskCache.Name(partition: "q", file: mine.file)) == nil)
    #expect(await cache.read(mine) != nil)
  }

  @Test func linksAreNotFollowed() async throws {
    let folder = try TemporaryFolder()
    let key = SealingKey.random()
    let written = DiskCache(path: folder.file("cache"), key: key, limit: 1 << 20)
    let name = name("/rpc/me")
    written.write(entry("body"), to: name)
    await written.flush()
    let path = folder.file("cache/p/\(name.file)")
    // A link to the right file, outside the folder.
    try FileManager.default.moveItem(atPath: path, toPath: folder.file("outside"))
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: folder.file("outside"))
    let before = try Data(contentsOf: URL(fileURLWithPath: folder.file("outside")))
    let cache = DiskCache(path: folder.file("cache"), key: key, limit: 1 << 20)
    #expect(await cache.read(name) == nil)
    #expect(CacheHarness.files(folder.file("cache")) == [])
    // Writing over a link replaces the link and leaves its target alone.
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: folder.file("outside"))
    cache.write(entry("new"), to: name)
    #expect(await cache.read(name)?.body == Array("new".utf8))
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file("outside"))) == before)
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType == .typeRegular)
  }

  @Test func linkInAFoldersPlaceIsReplaced() async throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.file("victim"), withIntermediateDirectories: false)
    try folder.write("keep me", to: "victim/file")
    try FileManager.default.createDirectory(atPath: folder.file("cache"), withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(atPath: folder.file("cache/p"), withDestinationPath: folder.file("victim"))
    let cache = DiskCache(path: folder.file("cache"), key: .random(), limit: 1 << 20)
    let name = name("/rpc/me")
    cache.write(entry("body"), to: name)
    #expect(await cache.read(name) != nil)
    await cache.flush()
    cache.dropPartitions(except: [])
    await cache.flush()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("victim")) == ["file"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("cache")) == [])
  }

  @Test func pipeOrFolderInAFilesPlaceIsAMissAndGoes() async throws {
    let folder = try TemporaryFolder()
    let key = SealingKey.random()
    let pipe = name("/pipe")
    let directory = name("/directory")
    try FileManager.default.createDirectory(
      atPath: folder.file("cache/p/\(directory.file)/deep"), withIntermediateDirectories: true)
    #expect(mkfifo(folder.file("cache/p/\(pipe.file)"), 0o600) == 0)
    let cache = DiskCache(path: folder.file("cache"), key: key, limit: 1 << 20)
    #expect(await cache.read(pipe) == nil)
    #expect(await cache.read(directory) == nil)
    #expect(CacheHarness.files(folder.file("cache")) == [])
  }
}
