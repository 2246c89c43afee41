import FoundationEssentials
import Glibc
import HTTPTypes
import Logging
import Reactor
import Server
import Support
import Locking
import Testing
import Text

/// The validators of responses as files change.
@Suite struct StaticFilesValidatorTests {
  private final class Folder: Sendable {
    let root = FileManager.default.temporaryDirectory.appending(path: "validators-\(UUID().uuidString)")
    private let offset = Locked(Duration.zero)
    private let start = ContinuousClock.now

    init() throws { try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: root) }

    /// Writes a file with a modification time, in seconds since 1970.
    func write(_ name: String, _ text: String, at time: Int) throws {
      let path = root.path + "/" + name
      try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
      try stamp(path, time)
    }

    /// Sets the modification time of a file, in seconds since 1970.
    func stamp(_ path: String, _ time: Int) throws {
      let date = Date(timeIntervalSince1970: TimeInterval(time))
      try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
    }

    func files(_ configuration: StaticFiles.Configuration = .init()) throws -> StaticFiles {
      try StaticFiles(root: root.path, configuration: configuration, logger: Logger(label: "test")) {
        self.start + self.offset.withLock { $0 }
      }
    }

    func advance(_ time: Duration) { offset.withLock { $0 += time } }
  }

  private func ask(_ files: StaticFiles, _ path: String, _ fields: HTTPFields = [:]) throws -> Response? {
    let peer = try #require(SocketAddress(host: "127.0.0.1", port: 1))
    return files.response(for: Request(method: .get, path: path, headers: fields, peer: peer))
  }

  private let example = 784_111_777

  @Test func lastModifiedIsNeverLaterThanNow() throws {
    let folder = try Folder()
    let now = Int(time(nil))
    try folder.write("a.bin", "abc", at: now + 100_000)
    let answer = try #require(try ask(try folder.files(), "/a.bin"))
    let modified = try #require(answer.headers[.lastModified].flatMap { HTTPDate.parse($0) })
    #expect(modified >= Int64(now) && modified <= Int64(time(nil)))
    let ranged = try ask(try folder.files(), "/a.bin", [.range: "bytes=0-0", .ifRange: HTTPDate.format(modified)])
    #expect(ranged?.status == .ok)
  }

  @Test func aSecondThatHadTwoStatesIsNoStrongDate() throws {
    let folder = try Folder()
    try folder.write("a.bin", "abc", at: example)
    let files = try folder.files()
    let fields: HTTPFields = [.range: "bytes=0-0", .ifRange: HTTPDate.format(Int64(example))]
    #expect(try ask(files, "/a.bin", fields)?.status == .partialContent)
    try folder.write("a.bin", "xyz", at: example)
    folder.advance(.seconds(1))
    #expect(try ask(files, "/a.bin", fields)?.status == .ok)
    try folder.write("a.bin", "xyz", at: example + 1)
    folder.advance(.seconds(1))
    #expect(
      try ask(files, "/a.bin", [.range: "bytes=0-0", .ifRange: HTTPDate.format(Int64(example + 1))])?.status == .partialContent)
  }

  @Test func everyChangeOfContentChangesTheTag() throws {
    let folder = try Folder()
    var tags: Set<String> = []
    let files = try folder.files()
    for (index, text) in ["abc", "abd", "", "abcd", String(repeating: "x", count: 5_000_000)].enumerated() {
      try folder.write("a.bin", text, at: example + (index == 4 ? 1 : 0))
      folder.advance(.seconds(1))
      let answer = try #require(try ask(files, "/a.bin"))
      tags.insert(try #require(answer.headers[.eTag]))
    }
    #expect(tags.count == 5)
  }

  @Test func aChangeThatTheTimeDoesNotShowIsSeen() throws {
    let folder = try Folder()
    let path = folder.root.path + "/a.bin"
    let soon = Int(time(nil)) + 1000
    try folder.write("a.bin", "abc", at: soon)
    let files = try folder.files()
    let first = try #require(try ask(files, "/a.bin"))
    let descriptor = open(path, O_WRONLY)
    #expect(pwrite(descriptor, "xyz", 3, 0) == 3)
    close(descriptor)
    try folder.stamp(path, soon)
    folder.advance(.seconds(1))
    let second = try #require(try ask(files, "/a.bin"))
    let bytes = if case .bytes(let bytes) = second.body { bytes } else { [UInt8]() }
    #expect(bytes == Array("xyz".utf8) && second.headers[.eTag] != first.headers[.eTag])
  }

  @Test func aFileThatBecomesSomethingElseIsGone() throws {
    let folder = try Folder()
    try folder.write("a.bin", "abc", at: example)
    let files = try folder.files()
    let path = folder.root.path + "/a.bin"
    for replace in [{ mkfifo(path, 0o600) }, { mkdir(path, 0o700) }, { symlink("/etc/passwd", path) }] {
      #expect(try ask(files, "/a.bin") != nil)
      unlink(path)
      #expect(replace() == 0)
      folder.advance(.seconds(1))
      #expect(try ask(files, "/a.bin") == nil)
      try FileManager.default.removeItem(atPath: path)
      try folder.write("a.bin", "abc", at: example)
    }
  }

  @Test func cacheControlGoesByPath() throws {
    let folder = try Folder()
    try folder.write("a.css", "a", at: example)
    try folder.write("b.html", "b", at: example)
    var configuration = StaticFiles.Configuration()
    configuration.paths = .asSpelled
    configuration.cacheControl = { $0.hasSuffix(".css") ? "max-age=60" : "" }
    let files = try folder.files(configuration)
    #expect(try ask(files, "/a.css")?.headers[.cacheControl] == "max-age=60")
    #expect(try ask(files, "/a.css", [.ifNoneMatch: "*"])?.headers[.cacheControl] == "max-age=60")
    let page = try #require(try ask(files, "/b.html"))
    #expect(page.status == .ok && page.headers[.cacheControl] == nil)
    #expect(try ask(files, "/b") == nil)
  }
}
