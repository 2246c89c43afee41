import JSON
import Text

/// Finds why the sessions in a log ended: exchanges in, an explanation out, without I/O and without a clock.
///
/// Time and memory are linear in the number of exchanges; bodies are read once and not kept.
package struct Explainer {
  private(set) var reader: FactsReader
  private(set) var facts: [ExchangeFacts] = []
  /// The numbers of entries that could not be read.
  package var skipped: [Int] = []

  /// - Parameter calls: The known calls of the backend. A request that fits calls of one kind is of that kind; the kind of any
  ///   other follows from its tokens and names.
  package init(calls: [NamedCall] = []) { reader = FactsReader(calls: calls) }

  /// The maximum number of explained ends, because each requires a scan of the other sessions.
  private static let endLimit = 100
  /// The maximum number of listed sessions with an unknown end.
  private static let missingInformationLimit = 20

  /// The relevant header fields in addition to those that begin with `x-` or end with `token`, in lower case.
  private static let headerNames: Set<String> = SentTime.headerNames.union([
    "user-agent", "authorization", "cookie", "apikey", "dpop", "content-type", "age", "date", "retry-after", "www-authenticate",
    "set-cookie",
    "location", "idempotency-key",
  ])
  /// The first letters of these names, as bits from `a`, by their length: most other names differ.
  private static let firstLetters: [UInt32] = {
    var letters = [UInt32](repeating: 0, count: 32)
    for name in headerNames { if let first = name.utf8.first { letters[name.utf8.count] |= letter(first) } }
    return letters
  }()

  private static func letter(_ byte: UInt8) -> UInt32 { 1 &<< UInt32(ASCII.lowercased(byte) &- UInt8(ascii: "a") & 31) }

  /// Whether header fields of a name, in any case, are relevant; a reader can leave the others out, except the first of a
  /// message.
  package static func reads(headerNamed name: ArraySlice<UInt8>) -> Bool {
    name.withUnsafeBufferPointer { bytes in
      let count = bytes.count
      if count > 2, ASCII.lowercased(bytes[0]) == UInt8(ascii: "x"), bytes[1] == UInt8(ascii: "-") { return true }
      if count >= 5, (0..<5).allSatisfy({ ASCII.lowercased(bytes[count - 5 + $0]) == token[$0] }) { return true }
      guard (1..<firstLetters.count).contains(count), firstLetters[count] & letter(bytes[0]) != 0 else { return false }
      let text = String(unsafeUninitializedCapacity: count) { text in
        for index in 0..<count { text[index] = ASCII.lowercased(bytes[index]) }
        return count
      }
      return headerNames.contains(text)
    }
  }

  private static let token = Array("token".utf8)

  /// Reads the next exchange; the order of the starts does not matter.
  package mutating func add(_ exchange: Exchange) {
    if let read = reader.facts(of: exchange) { facts.append(read) }
  }

  /// The maximum number of promises in an explanation; up to half of them are the newest broken ones.
  private static let promiseLimit = 500

  /// Judges the promises of the client that sent the added attempts, in the order of their rows.
  package func promises(_ retries: RetryPromise) -> [ClientPromise] {
    PromiseJudge.promises(in: SessionLog(facts, appKeys: reader.appKeys, cookies: reader.sessionCookieNames), retries)
  }

  /// Explains the added exchanges; with `retries`, it judges the client's promises as well.
  package func explanation(judging retries: RetryPromise? = nil) -> Explanation {
    let log = SessionLog(facts, appKeys: reader.appKeys, cookies: reader.sessionCookieNames)
    var histories: [Int: SessionHistory] = [:]
    let signals = LossSignals(log)
    for index in log.exchanges.indices {
      guard let family = log.family(of: index) else { continue }
      histories[family, default: SessionHistory(family: family)].rows.append(index)
    }
    var families = histories.values.filter { $0.isSession(log) }.sorted { $0.rows[0] < $1.rows[0] }
    families.removeAll { family in
      log.visitors.contains(family.family) && family.rows.allSatisfy { log.exchanges[$0].kind == .other }
    }
    // Rejected tokens from before the log are irrelevant next to the sessions that followed them.
    if families.contains(where: { !$0.hasOnlyRejectedCalls(in: log) }) { families.removeAll { $0.hasOnlyRejectedCalls(in: log) } }
    let isAlone = families.count == 1
    var findings: [Finding] = []
    var missing: [Sentence] = []
    // Without an order, every end and every cause would be invented.
    if log.hasOrder { for place in families.indices { families[place].read(log, signals, isAlone: isAlone) } }
    let verdicts = families.map(\.verdict)
    let ended = families.filter { $0.verdict == .signedOut }
    if ended.count > Self.endLimit { missing.append(Sentence(variant: .missingEnds, values: ["count": .count(Self.endLimit)])) }
    for family in ended.prefix(Self.endLimit) {
      var causes = Causes(log: log, history: family, others: families)
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
    if !log.hasOrder, !families.isEmpty { missing.append(Sentence(variant: .missingTime, values: [:])) }
    if verdict == .unknown, log.hasOrder {
      for family in families.lazy.filter({ $0.verdict == .unknown }).prefix(Self.missingInformationLimit) {
        missing.append(family.missingInformation(in: log))
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
      },
      promises: retries.map { Self.newest(PromiseJudge.promises(in: log, $0)) })
  }

  /// The newest promises, in the order of their rows.
  private static func newest(_ promises: [ClientPromise]) -> [ClientPromise] {
    guard promises.count > promiseLimit else { return promises }
    let broken = promises.filter { !$0.kept }.suffix(promiseLimit / 2)
    let kept = promises.filter(\.kept).suffix(promiseLimit - broken.count)
    return (broken + kept).sorted { ($0.rows.first ?? 0) < ($1.rows.first ?? 0) }
  }
}

/// Texts of a log in a form that is safe to show: without parts that can be a person's data.
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
