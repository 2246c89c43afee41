import FoundationEssentials
import HTTPTypes
import Logging
import Reactor
import Server
import Locking
import Testing

@Suite struct StaticFilesTests {
  private final class Folder: Sendable {
    let root: URL
    let outside: URL
    let offset = Locked(Duration.zero)
    private let start = ContinuousClock.now

    init() throws {
      let base = FileManager.default.temporaryDirectory.appending(path: "static-\(UUID().uuidString)")
      root = base.appending(path: "Public")
      outside = base.appending(path: "outside.txt")
      try FileManager.default.createDirectory(at: root.appending(path: "assets/css"), withIntermediateDirectories: true)
      try FileManager.default.createDirectory(at: root.appending(path: ".git"), withIntermediateDirectories: true)
      try write("login.html", "<p>login</p>")
      try write("index.html", "<p>index</p>")
      try write("assets/css/app.css", String(repeating: "body { color: red }\n", count: 100))
      try write("assets/logo.png", String(repeating: "aaaa", count: 100))
      try write("assets/tiny.js", "1")
      try write(".git/config", "hidden")
      try write("assets/.env", "hidden")
      try Data("secret".utf8).write(to: outside)
      try FileManager.default.createSymbolicLink(
        atPath: root.path + "/assets/link.txt", withDestinationPath: outside.path)
      try FileManager.default.createSymbolicLink(atPath: root.path + "/assets/up", withDestinationPath: "../..")
    }

    deinit { try? FileManager.default.removeItem(at: root.deletingLastPathComponent()) }

    func write(_ path: String, _ text: String) throws { try Data(text.utf8).write(to: root.appending(path: path)) }

    func files() throws -> StaticFiles {
      try StaticFiles(root: root.path, logger: Logger(label: "test")) { self.start + self.offset.withLock { $0 } }
    }

    func advance(_ time: Duration) { offset.withLock { $0 += time } }
  }

  private func ask(
    _ files: StaticFiles, _ path: String, _ fields: HTTPFields = [:], method: HTTPRequest.Method = .get
  ) throws -> Response? {
    let peer = try #require(SocketAddress(host: "127.0.0.1", port: 1))
    return files.response(for: Request(method: method, path: path, headers: fields, peer: peer))
  }

  private func bytes(_ response: Response?) -> [UInt8] {
    guard case .bytes(let bytes) = response?.body else { return [] }
    return bytes
  }

  @Test(arguments: [
    ("/", "<p>index</p>"), ("/login", "<p>login</p>"), ("/assets/tiny.js", "1"), ("/%6Cogin", "<p>login</p>"),
  ])
  func serves(_ path: String, _ expected: String) throws {
    let response = try ask(try Folder().files(), path)
    #expect(response?.status == .ok && String(decoding: bytes(response), as: UTF8.self) == expected)
    #expect(response?.headers[.cacheControl] == "no-cache" && response?.headers[.lastModified] != nil)
  }

  @Test(arguments: [
    "/login.html", "/login/", "/nothing", "/assets", "/assets/", "/assets/css", "/.git/config", "/assets/.env", "/../outside.txt",
    "/assets/../../outside.txt", "/%2e%2e/outside.txt", "/assets/%2e%2e/%2e%2e/outside.txt", "/assets/..%2f..%2foutside.txt",
    "/assets%2ftiny.js", "/assets/link.txt", "/assets/up/outside.txt", "/assets//tiny.js", "//assets/tiny.js",
    "/assets/tiny.js%00",
    "/assets/%ff", "/assets/..%5coutside.txt", "*", "/assets/\(String(repeating: "a", count: 5000))",
  ])
  func doesNotServe(_ path: String) throws {
    #expect(try ask(try Folder().files(), path) == nil)
  }

  @Test func codingsHaveTheirOwnTags() throws {
    let files = try Folder().files()
    let plain = try #require(try ask(files, "/assets/css/app.css"))
    let packed = try #require(try ask(files, "/assets/css/app.css", [.acceptEncoding: "br, gzip"]))
    #expect(packed.headers[.contentEncoding] == "gzip" && plain.headers[.contentEncoding] == nil)
    #expect(bytes(packed).count < bytes(plain).count && bytes(packed).starts(with: [0x1F, 0x8B]))
    #expect(plain.headers[.eTag] != packed.headers[.eTag])
    #expect(plain.headers[.vary] == "Accept-Encoding" && packed.headers[.vary] == "Accept-Encoding")
    #expect(plain.headers[.contentType] == "text/css; charset=utf-8")
    #expect(try ask(files, "/assets/css/app.css", [.acceptEncoding: "gzip;q=0"])?.headers[.contentEncoding] == nil)
  }

  @Test func smallAndPackedFilesStayAsTheyAre() throws {
    let files = try Folder().files()
    for path in ["/assets/tiny.js", "/assets/logo.png"] {
      let response = try ask(files, path, [.acceptEncoding: "gzip"])
      #expect(response?.headers[.contentEncoding] == nil && response?.headers[.vary] == nil)
    }
  }

  @Test func conditions() throws {
    let files = try Folder().files()
    let first = try #require(try ask(files, "/login"))
    let tag = try #require(first.headers[.eTag])
    let modified = try #require(first.headers[.lastModified])
    let status = { (fields: HTTPFields) in try ask(files, "/login", fields)?.status.code }
    #expect(try status([.ifNoneMatch: tag]) == 304)
    #expect(try status([.ifNoneMatch: "W/\(tag)"]) == 304)
    #expect(try status([.ifNoneMatch: "\"x\", \(tag)"]) == 304)
    #expect(try status([.ifNoneMatch: "*"]) == 304)
    #expect(try status([.ifNoneMatch: "\"x\""]) == 200)
    #expect(try status([.ifNoneMatch: "\"x\"", .ifModifiedSince: modified]) == 200)
    #expect(try status([.ifModifiedSince: modified]) == 304)
    #expect(try status([.ifModifiedSince: "Sun, 06 Nov 1994 08:49:37 GMT"]) == 200)
    #expect(try status([.ifModifiedSince: "nonsense"]) == 200)
    let unchanged = try #require(try ask(files, "/login", [.ifNoneMatch: tag], method: .head))
    #expect(unchanged.status == .notModified && unchanged.headers[.eTag] == tag && unchanged.headers[.contentType] == nil)
    #expect(bytes(unchanged).isEmpty)
  }

  @Test func aTagOfTheOtherCodingDoesNotCount() throws {
    let files = try Folder().files()
    let tag = try #require(try ask(files, "/assets/css/app.css")?.headers[.eTag])
    #expect(try ask(files, "/assets/css/app.css", [.ifNoneMatch: tag, .acceptEncoding: "gzip"])?.status == .ok)
  }

  @Test func otherMethodsGet405() throws {
    let response = try ask(try Folder().files(), "/login", method: .post)
    #expect(response?.status == .methodNotAllowed && response?.headers[.allow] == "GET, HEAD")
  }

  @Test func changesShowWithinASecond() throws {
    let folder = try Folder()
    let files = try folder.files()
    let tag = try ask(files, "/login")?.headers[.eTag]
    try folder.write("login.html", "<p>other</p>")
    #expect(try ask(files, "/login")?.headers[.eTag] == tag)
    folder.advance(.seconds(1))
    let changed = try ask(files, "/login")
    #expect(changed?.headers[.eTag] != tag && String(decoding: bytes(changed), as: UTF8.self) == "<p>other</p>")
    try FileManager.default.removeItem(at: folder.root.appending(path: "login.html"))
    folder.advance(.seconds(1))
    #expect(try ask(files, "/login") == nil)
    try folder.write("login.html", "back")
    #expect(String(decoding: bytes(try ask(files, "/login")), as: UTF8.self) == "back")
  }

  @Test func aRootThatIsNoneFails() {
    #expect(throws: StaticFiles.Failure.noRoot("/nonexistent")) {
      try StaticFiles(root: "/nonexistent", logger: Logger(label: "test"))
    }
  }
}
