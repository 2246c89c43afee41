import Console
import FoundationEssentials
import HTTPTypes
import JSON
import Logging
import Reactor
import Server
import Testing
import Wire

/// The words of a page in one language.
@Suite struct PageWordsTests {
  private final class Folder: Sendable {
    let root: URL

    init(_ files: [String: String]) throws {
      root = FileManager.default.temporaryDirectory.appending(path: "words-\(UUID().uuidString)")
      let locales = root.appending(path: "assets/locales")
      try FileManager.default.createDirectory(at: locales, withIntermediateDirectories: true)
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
      #"{"same_as_english": ["y"], "a": {"x.one": "One", "x.many": {"one": "\"{n}\" day", "other": "{n} days"}}, "b": {"y": "Y"}}"#,
    "assets/locales/xx.json": #"{"a": {"x.one": "Uno"}}"#,
  ]

  @Test(arguments: [
    ("/assets/locales/en/a.json", #"{"x.one":"One",\#n"x.many":{"one": "\"{n}\" day", "other": "{n} days"}}"#),
    ("/assets/locales/en/b.json", #"{"y":"Y"}"#),
    ("/assets/locales/xx/a.json", #"{"x.one":"Uno"}"#),
  ])
  func aSectionHasItsWords(_ path: String, _ expected: String) throws {
    let text = try #require(try Folder(Self.files).ask(path))
    #expect(text == expected + "\n")
    _ = try JSONDocument(parsing: Array(text.utf8))
  }

  @Test(arguments: [
    "/assets/locales/en.json", "/assets/locales/en/d.json", "/assets/locales/de/a.json",
    "/assets/locales/en/same_as_english.json",
    "/assets/locales/xx/b.json", "/assets/locales/en/a/b.json", "/assets/locales//a.json",
  ])
  func nothingElseHasAnAddress(_ path: String) throws {
    #expect(try Folder(Self.files).ask(path) == nil)
  }
}
