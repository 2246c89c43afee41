import Console
import Explain
import JSON

/// A report for build servers in JUnit's XML format: each check is a test case, each group a class.
struct JUnitReport: Sendable {
  private let report: CheckReport

  /// Creates the JUnit form of a report.
  init(_ report: CheckReport) { self.report = report }

  /// The document.
  var text: String {
    let results = report.results
    let drift = report.drift.map(Self.driftCases) ?? []
    let counts = """
      tests="\(results.count + drift.count)" \
      failures="\(report.count("failed") + (report.drift?.hasPassed == false ? drift.count : 0))" errors="0"
      """
    let time = Self.seconds(report.duration)
    var text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites name="understudy check" \(counts) time="\(time)">
        <testsuite name="understudy check" \(counts) skipped="\(report.count("skipped"))" time="\(time)" \
      timestamp="\(Self.instant(report))">
          <properties>
            <property name="understudy" value="\(Self.escaped(Version.text))"/>
            <property name="backend" value="\(Self.escaped(report.backend))"/>

      """
    for isKept in [true, false] where !results.allSatisfy(\.promises.isEmpty) {
      let name = isKept ? "promises_kept" : "promises_broken"
      text += "        <property name=\"\(name)\" value=\"\(report.countPromises(kept: isKept))\"/>\n"
    }
    text += "    </properties>\n"
    for result in results { text += Self.testCase(result) }
    text += drift.joined()
    return text + "  </testsuite>\n</testsuites>\n"
  }

  private static func testCase(_ result: CheckResult) -> String {
    let name = "classname=\"check.\(escaped(result.group))\" name=\"\(escaped(result.id))\""
    var text = "    <testcase \(name) time=\"\(seconds(result.duration))\">\n"
    switch result.outcome {
    case .passed: break
    case .skipped(let reason): text += "      <skipped message=\"\(escaped(reason))\"/>\n"
    case .failed(let reason):
      let detail = result.call.map { "\(reason)\nat \($0.text)" } ?? reason
      text += "      <failure message=\"\(escaped(reason))\" type=\"check\">\(escaped(detail))</failure>\n"
    }
    let promises = result.promises.map { "\n\($0.kept ? "kept" : "broken"): \($0.kind.rawValue): \($0.say)" }
    return text + "      <system-out>\(escaped(result.title + promises.joined()))</system-out>\n    </testcase>\n"
  }

  /// A test case for each endpoint with differences from the OpenAPI document, or a single passed one if there are none.
  private static func driftCases(_ drift: DriftReport) -> [String] {
    func testCase(_ name: String, _ content: String) -> String {
      "    <testcase classname=\"check.drift\" name=\"\(escaped(name))\" time=\"0.000\">\n\(content)    </testcase>\n"
    }
    if drift.isEmpty {
      return [testCase("openapi", "      <system-out>exchanges compared: \(drift.compared)</system-out>\n")]
    }
    return drift.endpoints.map { endpoint in
      let lines = endpoint.differences.map { "\($0.text) (rows: \($0.count))" }.joined(separator: "\n")
      let content =
        drift.isAllowed
        ? "      <system-out>\(escaped(lines))</system-out>\n"
        : "      <failure message=\"differs from the OpenAPI document\" type=\"drift\">\(escaped(lines))</failure>\n"
      return testCase("\(endpoint.method) \(endpoint.path)", content)
    }
  }

  /// Seconds with three decimals.
  private static func seconds(_ duration: Duration) -> String {
    let milliseconds = max(0, Int64(duration / .milliseconds(1)))
    let rest = String(milliseconds % 1000)
    return "\(milliseconds / 1000).\(String(repeating: "0", count: 3 - rest.count))\(rest)"
  }

  /// The common schema allows neither fraction nor zone; it is UTC.
  private static func instant(_ report: CheckReport) -> String { String(Timestamp(report.startedAt).text.prefix(19)) }

  /// Escapes text for XML 1.0 (§2.2, §2.4); a character that XML cannot represent becomes U+FFFD.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&apos;"
      // In an attribute, these would become spaces unless escaped.
      case "\n", "\t", "\r": escaped += "&#\(scalar.value);"
      case "\u{20}"..."\u{D7FF}", "\u{E000}"..."\u{FFFD}", "\u{10000}"..."\u{10FFFF}": escaped.unicodeScalars.append(scalar)
      default: escaped += "\u{FFFD}"
      }
    }
    return escaped
  }
}
