import Console
import FoundationEssentials
import HTTPTypes
import JSON
import Logging
import Reactor
import Server
import Testing
import Wire

/// The words of a page in one language, made of the file of the language and of those of topics.
@Suite struct PageWordsTests {
  private final class Folder: Sendable {
    let root: URL

    init(_ files: [String: String]) throws {
      root = FileManager.default.temporaryDirectory.appending(path: "words-\(UUID().uuidString)")
      let topics = root.appending(path: "assets/locales/topics")
      try FileManager.default.createDirectory(at: topics, withIntermediateDirectories: true)
      for (path, text) in files { try Data(text.utf8).write(to: root.appending(path: path)) }
    }

    deinit { try? FileManager.default.removeItem(at: root) }

    func ask(_ path: String) throws -> String? {
      let files = try ConsolePages.files(folder: root.path, logger: Logger(label: "test"))
      let peer = try #require(SocketAddress(host: "127.0.0.1", port: 1))
      guard case .bytes(let bytes) = files.response(for: Request(method: .get, path: path, peer: peer))?.body else { return nil }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  private static let files = [
    "assets/locales/en.json":
      #"{"a": {"x.one": "One", "x.many": {"one": "\"{n}\" day", "other": ["many ", "days"]}}, "b": {"y": "Y"}}"#,
    "assets/locales/xx.json": #"{"a": {"x.one": "Uno", "z": "own"}}"#,
    "assets/locales/topics/things.json": #"{"a": {"z": {"en": "Zed", "de": "Zett"}}, "c": {"w": {"en": "W"}}}"#,
  ]

  @Test(arguments: [
    ("/assets/locales/en/a.json", #"{"x.one":"One",\#n"x.many":{"one":"\"{n}\" day","other":"many days"},\#n"z":"Zed"}"#),
    ("/assets/locales/en/b.json", #"{"y":"Y"}"#),
    ("/assets/locales/en/c.json", #"{"w":"W"}"#),
    ("/assets/locales/xx/a.json", #"{"x.one":"Uno",\#n"z":"own"}"#),
  ])
  func aSectionHasTheWordsOfBoth(_ path: String, _ expected: String) throws {
    let text = try #require(try Folder(Self.files).ask(path))
    #expect(text == expected + "\n")
    _ = try JSONDocument(parsing: Array(text.utf8))
  }

  @Test(arguments: [
    "/assets/locales/en.json", "/assets/locales/en/d.json", "/assets/locales/de/a.json", "/assets/locales/topics/things.json",
    "/assets/locales/en/a/b.json", "/assets/locales//a.json",
  ])
  func nothingElseHasAnAddress(_ path: String) throws {
    #expect(try Folder(Self.files).ask(path) == nil)
  }
}
