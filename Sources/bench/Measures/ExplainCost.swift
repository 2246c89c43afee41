import Explain
import JSON
import Observability
import Text

/// Measures the explanation of a large HAR: of an app that calls with one token and renews it.
enum ExplainCost {
  private static let rows = 100_000

  static func measure() throws -> [Figure] {
    let har = har()
    let before = ProcessFacts.now().residentKiB
    let started = ContinuousClock.now
    let explanation = try ExplainedRecording.explanation(of: har)
    let taken = Quantiles([ContinuousClock.now - started])(0) / 1e6
    let grown = Double(ProcessFacts.currentKiB() - before) / 1024
    let isRight = explanation.verdict == .signedOut && explanation.findings.map(\.kind) == [.refreshTokenReused]
    return [
      Figure(
        work: "explaining a HAR of \(rows) rows and \(har.count >> 20) MiB", goal: "≤ 2 s",
        measured: "\(Figure.number(taken, places: 2)) s", isMet: taken <= 2 && isRight),
      Figure(
        work: "memory for it beside the file", goal: "≤ 200 MB", measured: "\(Figure.number(grown)) MB", isMet: grown <= 200),
    ]
  }

  /// Every 500th row is a refresh; the last one sends the first token again.
  private static func har() -> [UInt8] {
    var text = #"{"log":{"version":"1.2","entries":["#
    text.reserveCapacity(rows * 1200)
    let claims = Base64URL.encode(Array(#"{"sub":"user","iat":1780000000,"exp":1999999999}"#.utf8))
    let token = "eyJhbGciOiJIUzI1NiJ9.\(claims)." + String(repeating: "s", count: 300)
    for number in 0..<rows {
      let isLast = number == rows - 1
      let time = Timestamp(milliseconds: 1_780_000_000_000 + Int64(number) * 300).text
      let name = number / 500
      let (path, body, answer): (String, String, String) =
        if number % 500 == 0 || isLast {
          (
            "/auth/refresh", #"{\"refresh_token\":\"refresh-\#(isLast ? 0 : name)\"}"#,
            isLast
              ? #"{\"error\":\"invalid_grant\"}"#
              : #"{\"access_token\":\"access-\#(name)-\#(number)\",\"refresh_token\":\"refresh-\#(name + 1)\"}"#
          )
        } else {
          ("/items/\(number % 97)", "", #"{\"id\":\#(number),\"title\":\"A title of some length\",\"tags\":[\"one\",\"two\"]}"#)
        }
      if number > 0 { text += ",\n" }
      text += """
        {"startedDateTime":"\(time)","time":80,"request":{"method":"\(body.isEmpty ? "GET" : "POST")",\
        "url":"https://api.example.com\(path)","headers":[{"name":"User-Agent","value":"App/1.0 (iOS 18.4; iPhone)"},\
        {"name":"Accept","value":"application/json"},{"name":"Authorization","value":"Bearer \(body.isEmpty ? token : "access-\(name)")"}]\
        \(body.isEmpty ? "" : #","postData":{"mimeType":"application/json","text":"\#(body)"}"#)},\
        "response":{"status":\(isLast ? 400 : 200),"headers":[{"name":"Content-Type","value":"application/json"},\
        {"name":"Date","value":"Sun, 31 May 2026 20:26:40 GMT"}],"content":{"size":80,"mimeType":"application/json","text":"\(answer)"}}}
        """
    }
    return Array((text + "]}}").utf8)
  }
}
