import Support
import Testing

/// Sends raw bytes and expects exact responses, in four ways: plain and encrypted, all at once and byte by byte.
@Suite(.timeLimit(.minutes(2))) struct ConformanceTests {
  /// All cases.
  static let cases =
    lineCases + targetCases + hostCases + fieldCases + lengthCases + chunkCases + connectionCases + methodCases + pathCases
    + conditionCases + rangeCases + codingCases

  private static let sentinel = Array("GET /sentinel HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".utf8)

  @Test func theTableIsLarge() {
    #expect(Self.cases.count >= 250)
    let named = Dictionary(grouping: Self.cases) { $0.section + " " + $0.name }
    #expect(named.filter { $0.value.count > 1 }.keys.sorted() == [])
  }

  @Test(arguments: ConformanceMode.allCases)
  func everyCase(_ mode: ConformanceMode) async throws {
    try await ConformanceSite.with { site in
      let workers = 8
      let found = await withTaskGroup(of: [String]?.self) { group in
        for worker in 0..<workers {
          group.addTask {
            try? await OwnThread.run {
              stride(from: worker, to: Self.cases.count, by: workers).flatMap { Self.faults(of: Self.cases[$0], mode, site) }
            }
          }
        }
        return await group.reduce(into: []) { $0 += $1 ?? ["a worker failed"] }
      }
      for fault in found { Issue.record("\(mode.rawValue) \(fault)") }
    }
  }

  /// The difference between the expected and the actual result.
  private static func faults(of example: ConformanceCase, _ mode: ConformanceMode, _ site: ConformanceSite) -> [String] {
    let bytes = example.bytes(site.tags) + (example.end == .halfClosed ? [] : sentinel)
    let port = mode.isTLS ? site.securePort : site.port
    let label = "\(example.section) \(example.name):"
    guard let received = mode.converse(port, site.certificate, bytes, halfClose: example.end == .halfClosed) else {
      return ["\(label) no connection"]
    }
    let answers: [ConformanceReader.Answer]
    do throws(ConformanceReader.Violation) {
      answers = try ConformanceReader.answers(received) { $0 < example.answers.count && example.answers[$0].isHead }
    } catch {
      return ["\(label) \(error) in \(String(decoding: received.prefix(600), as: UTF8.self))"]
    }
    var faults: [String] = []
    let isKept = answers.last.map { String(decoding: $0.body, as: UTF8.self) == "sentinel" } ?? false
    let own = isKept ? answers.dropLast() : answers[...]
    let verdict = (own.map { "\($0.status)" } + [isKept ? "kept" : "closed"]).joined(separator: " ")
    if verdict != example.verdict { faults.append("\(label) \(verdict), not \(example.verdict)") }
    for (answer, expected) in zip(own, example.answers) {
      faults += mismatches(answer, expected, site.tags).map { "\(label) \($0)" }
    }
    for (index, answer) in own.enumerated() where answer.status >= 200 {
      // A server that closes says so (RFC 9112 §9.6); one that continues does not.
      let saysClose = answer["connection"] == ["close"]
      let isLast = !isKept && index == own.count - 1 && example.end == .closed
      if saysClose != isLast, example.end != .halfClosed { faults.append("\(label) Connection of answer \(index)") }
    }
    return faults
  }

  private static func mismatches(
    _ answer: ConformanceReader.Answer, _ expected: ConformanceCase.Expected, _ tags: [String: String]
  ) -> [String] {
    var found: [String] = []
    if let body = expected.body, body != String(decoding: answer.body, as: UTF8.self) {
      found.append("body '\(String(decoding: answer.body.prefix(200), as: UTF8.self))', not '\(body.prefix(200))'")
    }
    for (name, value) in expected.fields {
      let values = answer[name]
      let isMet =
        switch value {
        case "*": values.count == 1
        case "-": values.isEmpty
        default: values == [tags[value] ?? value]
        }
      if !isMet { found.append("\(name) \(values), not \(value)") }
    }
    return found
  }
}
