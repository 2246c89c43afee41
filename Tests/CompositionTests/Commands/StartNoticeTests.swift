import Console
import Testing

@testable import Composition

@Suite struct StartNoticeTests {
  private static func lines(port: UInt16 = 8080, earlier: String? = nil, opens: Bool = true) -> [String] {
    let home = Origin(scheme: "http", host: "localhost", port: port)
    return StartNotice(
      home: home, page: home.text, earlier: earlier.flatMap { Origin($0) }, dataFolder: "/data", opensBrowser: opens
    ).lines
  }

  @Test func itSaysWhereItRunsWhereItsDataIsAndHowToStopIt() {
    let rest = ["Its data is in /data.", "Press Ctrl-C to stop it."]
    #expect(Self.lines() == ["Understudy runs at http://localhost:8080, which opens in the browser."] + rest)
    #expect(Self.lines(opens: false) == ["Understudy runs at http://localhost:8080. Open it in a browser."] + rest)
    #expect(Self.lines(earlier: "http://localhost:8080") == Self.lines())
  }

  @Test func anotherPortIsNamed() {
    #expect(Self.lines(port: 8081)[1] == "Port 8080 is in use, so it took 8081.")
    #expect(!Self.lines(port: 8081, earlier: "http://localhost:8081").joined().contains("Devices"))
  }

  @Test(
    arguments: [
      (8081, "http://localhost:8080", "To use them, stop what runs on port 8080 and start Understudy again."),
      (8080, "http://localhost:8081", "To use them, stop this console and run: understudy serve --port 8081"),
      (8080, "https://team.example", "only shown there."),
    ] as [(UInt16, String, String)])
  func anAddressOfAnEarlierStartIsNotLeftSilently(port: UInt16, earlier: String, advice: String) {
    let line = Self.lines(port: port, earlier: earlier).first { $0.contains("Devices") }
    #expect(line?.contains("at \(earlier) ") == true && line?.hasSuffix(advice) == true, "\(line ?? "no line")")
  }
}
