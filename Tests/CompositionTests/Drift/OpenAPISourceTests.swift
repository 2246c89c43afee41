import OpenAPI
import Support
import Testing

@testable import Composition

@Suite struct OpenAPISourceTests {
  private func refusal(of text: String) -> StartFailure? {
    do throws(StartFailure) {
      _ = try OpenAPISource(text)
      return nil
    } catch {
      return error
    }
  }

  @Test func aURLIsNamedWithoutItsQuery() throws {
    guard case .url(let url) = try OpenAPISource("HTTPS://Docs.example:443/v1/api.json?key=secret") else {
      Issue.record("no URL")
      return
    }
    #expect(url.name == "https://docs.example/v1/api.json" && url.text.hasSuffix("?key=secret"))
    #expect(try OpenAPISource("http://127.0.0.1:8000/api.json")?.name == "http://127.0.0.1:8000/api.json")
    #expect(try OpenAPISource(nil) == nil)
  }

  @Test(arguments: [
    ("https://", 64), ("https://user:secret@docs.example/a", 64), ("https://docs.example/a#b", 64),
    ("https://docs.example:0x/", 64),
    ("https://docs.example/ä", 64), ("http://docs.example/a?key=secret", 78), ("/nonexistent", 66), ("/", 66),
  ])
  func whatCannotBeUsedHasOneClearLine(text: String, code: Int) throws {
    let failure = try #require(refusal(of: text))
    #expect(Int(failure.exitCode) == code, "\(failure.message)")
    #expect(failure.message.hasPrefix("--openapi: ") && !failure.message.contains("\n") && !failure.message.contains("secret"))
  }

  @Test(arguments: [
    "", "no JSON", "[]", #"{"swagger":"2.0"}"#, "openapi: 3.1.0\ninfo: {\n",
    #"{"openapi":"9\n\u001B[31m","info":{},"paths":{}}"#,
  ])
  func aFileThatIsNoOpenAPIDocumentIsRefused(content: String) throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(content, to: "api.json")
    let failure = try #require(refusal(of: path))
    #expect(failure.exitCode == 66 && failure.message.hasPrefix("--openapi: \(path): "))
    #expect(!failure.message.unicodeScalars.contains { $0.value < 0x20 })
  }

  @Test func aFileIsNamedByItsLastPart() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(DriftReportTests.document, to: "api.json")
    guard case .file(let file) = try OpenAPISource(path) else {
      Issue.record("no file")
      return
    }
    #expect(file.name == "api.json" && file.path == path && file.contract.title == "Staging <&>")
  }
}
