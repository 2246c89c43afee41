import FoundationEssentials
import HTTPTypes
import Locking
import Logging
import Reactor
import Server
import Testing
import Wire

/// Pages that are made of parts.
@Suite struct PageIncludesTests {
  private final class Folder: Sendable {
    let root: URL
    private let offset = Locked(Duration.zero)
    private let start = ContinuousClock.now

    init() throws {
      root = FileManager.default.temporaryDirectory.appending(path: "parts-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: root.appending(path: "parts"), withIntermediateDirectories: true)
      try write("parts/header.html", "<a {{aria-current=\"page\" if page=login}} href=\"/login\">In</a>\n")
      try write("login.html", "<i>1</i>\n<!-- include header.html page=login -->\n<i>2</i>\n")
      try write("other.html", "<!-- include header.html page=other -->!")
      try write("plain.html", "<!-- a comment -->")
    }

    deinit { try? FileManager.default.removeItem(at: root) }

    /// Writes a file whose last change lies that many seconds back.
    func write(_ path: String, _ text: String, age: Double = 3600) throws {
      let file = root.appending(path: path)
      try Data(text.utf8).write(to: file)
      try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSinceNow: -age)], ofItemAtPath: file.path)
    }

    func files() throws -> StaticFiles {
      var configuration = StaticFiles.Configuration()
      configuration.composers = [PageIncludes()]
      return try StaticFiles(root: root.path, configuration: configuration, logger: Logger(label: "test")) {
        self.start + self.offset.withLock { $0 }
      }
    }

    func advance(_ time: Duration) { offset.withLock { $0 += time } }
  }

  private func ask(_ files: StaticFiles, _ path: String, _ fields: HTTPFields = [:]) throws -> Response? {
    let peer = try #require(SocketAddress(host: "127.0.0.1", port: 1))
    return files.response(for: Request(method: .get, path: path, headers: fields, peer: peer))
  }

  private func text(_ response: Response?) -> String {
    guard case .bytes(let bytes) = response?.body else { return "" }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func aPartIsFilledWithTheValuesOfThePage() throws {
    let files = try Folder().files()
    #expect(text(try ask(files, "/login")) == "<i>1</i>\n<a aria-current=\"page\" href=\"/login\">In</a>\n<i>2</i>\n")
    #expect(text(try ask(files, "/other")) == "<a href=\"/login\">In</a>!")
    #expect(text(try ask(files, "/plain")) == "<!-- a comment -->")
  }

  @Test func aPartHasNoAddress() throws {
    let files = try Folder().files()
    #expect(try ask(files, "/parts/header.html") == nil)
    #expect(try ask(files, "/parts/%68eader.html") == nil)
  }

  @Test func aPageAndItsPartsHaveOneTag() throws {
    let folder = try Folder()
    try folder.write("parts/header.html", String(repeating: "<p>a line of the part</p>\n", count: 100))
    let files = try folder.files()
    let tag = try #require(try ask(files, "/login")?.headers[.eTag])
    #expect(try ask(files, "/login", [.ifNoneMatch: tag])?.status == .notModified)
    let packed = try #require(try ask(files, "/login", [.acceptEncoding: "gzip"]))
    #expect(packed.headers[.contentEncoding] == "gzip" && packed.headers[.eTag] != tag)
    #expect(text(packed).utf8.count < 500)
  }

  @Test(arguments: ["parts/header.html", "login.html"])
  func aChangeOfEitherFileShowsWithinASecond(_ path: String) throws {
    let folder = try Folder()
    let files = try folder.files()
    let first = try #require(try ask(files, "/login"))
    // Older than the page: the newest of the times alone would not tell.
    try folder.write(path, "changed", age: 7200)
    #expect(try ask(files, "/login")?.headers[.eTag] == first.headers[.eTag])
    folder.advance(.seconds(1))
    let changed = try ask(files, "/login")
    #expect(text(changed).contains("changed") && changed?.headers[.eTag] != first.headers[.eTag])
    folder.advance(.seconds(1))
    #expect(try ask(files, "/login")?.headers[.eTag] == changed?.headers[.eTag])
  }

  @Test func aPageThatBreaksKeepsItsLastState() throws {
    let folder = try Folder()
    let files = try folder.files()
    let before = text(try ask(files, "/login"))
    try FileManager.default.removeItem(at: folder.root.appending(path: "parts/header.html"))
    folder.advance(.seconds(1))
    #expect(text(try ask(files, "/login")) == before)
    try folder.write("parts/header.html", "again", age: 0)
    folder.advance(.seconds(1))
    #expect(text(try ask(files, "/login")) == "<i>1</i>\nagain\n<i>2</i>\n")
  }

  @Test(arguments: [
    ("<!-- include nothing.html -->", "a.html includes parts/nothing.html, which does not exist"),
    ("<!-- include header.html", "a.html: an include has no end"),
    ("<!-- include bad.html -->", "parts/bad.html: {{ is not followed by a text, if, a value and }}"),
  ])
  func aBrokenPageIsNamedAtTheStart(_ page: String, _ reason: String) throws {
    let folder = try Folder()
    try folder.write("parts/bad.html", "{{hidden}}")
    try folder.write("a.html", page)
    #expect(throws: StaticFiles.Failure.invalidFile(reason)) { try folder.files() }
  }
}
