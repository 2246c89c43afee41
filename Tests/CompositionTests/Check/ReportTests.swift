import Explain
import Foundation
import JSON
import Testing
import Text

@testable import Composition

@Suite struct ReportTests {
  static let call = ReportedCall(
    method: "GET", endpoint: "me", path: "/rpc/me", status: 500, code: "internal", requestID: "a-request")
  static let results = [
    CheckResult(
      id: "app-config", group: "backend", title: "The configuration is returned", outcome: .passed,
      duration: .milliseconds(12.34),
      call: nil),
    CheckResult(
      id: "account", group: "account", title: "The account is read", outcome: .failed("<\"no\" & 'never'>\u{0}\u{1B}\nend"),
      duration: .seconds(1.5), call: call),
    CheckResult(
      id: "deletion", group: "session", title: "Gone", outcome: .skipped("requires --allow-deletion"), duration: .zero, call: nil),
  ]
  static let report = CheckReport(
    backend: "https://staging.example", isEmbedded: false, startedAt: Date(timeIntervalSince1970: 1_700_000_000.5),
    duration: .seconds(2), results: results)

  @Test func textIsAlignedAndNamesReasonAndCall() {
    let plain = TextReport(isColoured: false)
    let lines = Self.results.map(plain.line).joined().split(separator: "\n").map(String.init)
    let heads = lines.filter { !$0.hasPrefix(" ") }
    #expect(heads.map { $0.prefix(4) } == ["pass", "FAIL", "skip"])
    #expect(Set(heads.map(\.count)).count == 1, "every line is as long as the others")
    #expect(heads[1].hasSuffix(" 1500 ms"))
    #expect(lines.contains("      at GET /rpc/me 500 internal request a-request"))
    #expect(lines.contains("      requires --allow-deletion"))
    #expect(plain.footer(Self.report) == "\n1 passed, 1 failed, 1 skipped in 2.0 s\n")
    #expect(!lines.joined().contains("\u{1B}"), "a backend's text contains no terminal control characters")
    #expect(TextReport(isColoured: true).line(Self.results[0]).hasPrefix("\u{1B}[32mpass\u{1B}[0m  app-config"))
  }

  @Test func jsonHasTheDocumentedShape() throws {
    let root = try JSONDocument(parsing: Array(JSONReport(Self.report).text.utf8)).root
    #expect(root["format"]?.string == "understudy-check" && root["version"]?.int64 == 1)
    #expect(root["understudy"]?.string == Version.text)
    #expect(root["started_at"]?.string == "2023-11-14T22:13:20.500Z" && root["duration_ms"]?.double == 2000)
    #expect(root["backend"]?["url"]?.string == "https://staging.example" && root["backend"]?["embedded"]?.bool == false)
    #expect(["passed", "failed", "skipped"].allSatisfy { root["summary"]?[$0]?.int64 == 1 })
    let checks = try #require(root["checks"]?.elements)
    #expect(checks.map { $0["outcome"]?.string } == ["passed", "failed", "skipped"])
    #expect(checks[0]["duration_ms"]?.double == 12.3 && checks[0]["reason"] == nil)
    #expect(checks[1]["call"]?["status"]?.int64 == 500 && checks[1]["call"]?["request_id"]?.string == "a-request")
    #expect(checks[2]["reason"]?.string == "requires --allow-deletion" && checks[2]["group"]?.string == "session")
  }

  @Test func junitEscapesWhatXMLCannotHold() {
    let text = JUnitReport(Self.report).text
    #expect(text.contains("message=\"&lt;&quot;no&quot; &amp; &apos;never&apos;&gt;\u{FFFD}\u{FFFD}&#10;end\""))
    #expect(text.contains("at GET /rpc/me 500 internal request a-request</failure>"))
    #expect(
      text.contains("tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\" time=\"2.000\" timestamp=\"2023-11-14T22:13:20\""))
    #expect(text.contains("<testcase classname=\"check.backend\" name=\"app-config\" time=\"0.012\">"))
    #expect(text.contains("<skipped message=\"requires --allow-deletion\"/>"))
    #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
    #expect(JUnitReport.escaped("\u{FFFE}\u{FFFF}\u{7}é\u{1F600}\t") == "\u{FFFD}\u{FFFD}\u{FFFD}é\u{1F600}&#9;")
  }

  /// The promises of a client that got 503 and sent the call again after the seconds.
  private static func promises(after wait: Double) -> [ClientPromise] {
    var explainer = Explainer()
    for number in 0..<2 {
      var exchange = Exchange(
        number: number + 1, start: Int64(Double(number) * (wait * 1000 + 100)), duration: 100, method: "GET",
        url: "https://a.example/",
        response: Exchange.Response(status: number == 0 ? 503 : 200))
      exchange.attempt = Exchange.Attempt(row: "\(number)", call: "call", number: number + 1)
      explainer.add(exchange)
    }
    return explainer.promises(RetryPromise())
  }

  private static func report(promises: [ClientPromise]) -> CheckReport {
    var results = results
    results[0].promises = promises
    return CheckReport(
      backend: "https://staging.example", isEmbedded: false, startedAt: Date(timeIntervalSince1970: 0), duration: .seconds(2),
      results: results)
  }

  @Test func reportsHaveThePromisesOfTheClient() throws {
    let kept = Self.report(promises: Self.promises(after: 1))
    let broken = Self.report(promises: Self.promises(after: 0.2))
    let text = TextReport(isColoured: false)
    #expect(text.footer(kept).hasPrefix("\nThe client kept all 2 promises that the calls put to the test\n"))
    let sentence = "Waited only 200 ms before the attempt in row 2, instead of 1 s"
    let names = "The client broke 1 of 2 promises that the calls put to the test\n  app-config: backoff: \(sentence)\n"
    #expect(text.footer(broken).hasPrefix("\n" + names))

    let root = try JSONDocument(parsing: Array(JSONReport(broken).text.utf8)).root
    #expect(root["summary"]?["promises"]?["kept"]?.int64 == 1 && root["summary"]?["promises"]?["broken"]?.int64 == 1)
    let promise = try #require(root["checks"]?.elements.first?["promises"]?.elements.first { $0["kept"]?.bool == false })
    #expect(promise["kind"]?.string == "backoff" && promise["say"]?.string == sentence)
    #expect(promise["rows"]?.elements.compactMap(\.int64) == [1, 2])
    #expect(promise["promised"]?["span_ms"]?.int64 == 1000 && promise["measured"]?["span_ms"]?.int64 == 200)

    let junit = JUnitReport(broken).text
    #expect(junit.contains("<property name=\"promises_kept\" value=\"1\"/>"))
    #expect(junit.contains("<property name=\"promises_broken\" value=\"1\"/>"))
    #expect(junit.contains("&#10;broken: backoff: \(sentence)"))
  }

  @Test func everyCheckHasAnIDOfItsOwn() {
    #expect(Set(CheckCase.all.map(\.id)).count == CheckCase.all.count)
    #expect(CheckCase.all.allSatisfy { $0.id.utf8.allSatisfy { $0 == 0x2D || (0x61...0x7A).contains($0) } })
  }

  /// What a file or backend says changes neither the terminal nor the direction of the text around it.
  @Test func terminalControlsOfAFileAreNotShown() {
    #expect("a\u{1B}b\u{7}c\u{9B}d\ne".printable() == "a b c d e")
    for mark in ["\u{202E}", "\u{202A}", "\u{2066}", "\u{2069}", "\u{200F}", "\u{61C}", "\u{2028}"] {
      #expect("a\(mark)b".printable() == "a b")
    }
    #expect("سلام é 👩‍👧 日本".printable() == "سلام é 👩‍👧 日本")
  }
}
