import JSON

/// Finds why the sessions in a log ended: exchanges in, an explanation out, without I/O and without a clock.
///
/// Time and memory are linear in the number of exchanges; bodies are read once and forgotten.
package struct Explainer {
  private var reader = FactsReader()
  private var facts: [ExchangeFacts] = []
  /// The numbers of entries that could not be read.
  package var skipped: [Int] = []

  package init() {}

  /// The most ends that are explained: each takes a look at the other sessions.
  private static let endLimit = 100
  /// The most sessions whose end is unknown that are named.
  private static let doubtLimit = 20

  /// Reads the next exchange; the order of the starts does not matter.
  package mutating func add(_ exchange: Exchange) {
    if let read = reader.facts(of: exchange) { facts.append(read) }
  }

  /// Explains what was added.
  package func explanation() -> Explanation {
    let log = SessionLog(facts, appKeys: reader.appKeys, cookies: reader.sessionCookieNames)
    var stories: [Int: SessionStory] = [:]
    let signals = LossSignals(log)
    for index in log.exchanges.indices {
      guard let family = log.family(of: index) else { continue }
      stories[family, default: SessionStory(family: family)].rows.append(index)
    }
    var families = stories.values.filter { $0.isSession(log) }.sorted { $0.rows[0] < $1.rows[0] }
    families.removeAll { family in
      log.visitors.contains(family.family) && family.rows.allSatisfy { log.exchanges[$0].kind == .other }
    }
    // Rejected tokens of before the log say nothing beside the sessions that followed them.
    if families.contains(where: { !$0.isRemnant(log) }) { families.removeAll { $0.isRemnant(log) } }
    let isAlone = families.count == 1
    var findings: [Finding] = []
    var missing: [Sentence] = []
    for place in families.indices { families[place].read(log, signals, isAlone: isAlone) }
    let verdicts = families.map(\.verdict)
    let ended = families.filter { $0.verdict == .signedOut }
    if ended.count > Self.endLimit { missing.append(Sentence(variant: .missingEnds, values: ["count": .count(Self.endLimit)])) }
    for family in ended.prefix(Self.endLimit) {
      var causes = Causes(log: log, story: family, others: families)
      findings += causes.findings()
      missing += causes.missing
    }
    let verdict: Explanation.Verdict =
      if verdicts.contains(.signedOut) {
        .signedOut
      } else if verdicts.contains(.unknown) || verdicts.isEmpty {
        .unknown
      } else {
        .sessionKept
      }
    if families.isEmpty { missing.append(Sentence(variant: .missingTokens, values: [:])) }
    if verdict == .unknown {
      for family in families.lazy.filter({ $0.verdict == .unknown }).prefix(Self.doubtLimit) {
        missing.append(family.doubt(log))
      }
    }
    if verdict != .sessionKept, log.hasPlaceholders {
      missing.append(Sentence(variant: .missingDifferences, values: [:]))
    }
    if verdict != .sessionKept, !skipped.isEmpty {
      missing.append(Sentence(variant: .missingRequests, values: ["rows": .rows(Array(skipped.prefix(10)))]))
    }
    findings.sort { ($0.rows.first ?? 0) < ($1.rows.first ?? 0) }
    let named = Set(findings.flatMap(\.rows))
    let evidence = log.exchanges.lazy.filter { named.contains($0.number) }
    var said: Set<String> = []
    let lacks = missing.filter { said.insert($0.text).inserted }
    return Explanation(
      verdict: verdict, findings: findings, families: families.compactMap { $0.tokens(log) },
      missing: lacks.map(\.text), lacks: lacks,
      evidence: evidence.map {
        Explanation.Row(
          row: $0.number, at: Timestamp(milliseconds: $0.start), method: $0.method, path: ShownText.path($0.path),
          status: $0.sentStatus)
      })
  }
}

/// Texts of a log as they may be shown: without parts that can be a value of a person.
enum ShownText {
  static func path(_ path: String) -> String {
    path.split(separator: "/", omittingEmptySubsequences: false).map { segment in
      let digits = segment.utf8.count { (0x30...0x39).contains($0) }
      let isValue = segment.utf8.count > 48 || digits > 3 || segment.contains("@") || segment.contains("%40")
      return isValue ? "…" : String(segment)
    }.joined(separator: "/")
  }

  /// The error's code, else the status in words.
  static func code(of exchange: ExchangeFacts) -> Sentence.Value {
    guard exchange.status != nil, let code = exchange.code, code.utf8.count <= 48,
      code.utf8.count(where: { (0x30...0x39).contains($0) }) < 6,
      code.utf8.allSatisfy({ (0x21..<0x7f).contains($0) }), Int(code) == nil,
      // Some backends return the token that they reject.
      !(exchange.sent + exchange.received).contains(where: { $0.tag == TokenTag(code) })
    else { return .status(exchange.sentStatus) }
    return .text(code)
  }
}
