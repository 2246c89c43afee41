import FoundationEssentials
import JSON
import Testing

@testable import Observability
import Redaction

@Suite struct HARDocumentTests {
  private func validated(_ rows: [NetworkRowDetail]) throws -> HARValidator {
    let bytes = ExportExample.bytes(HARDocument.file(name: "a.har", rows: rows, version: "1.0"))
    let validator = HARValidator(bytes)
    #expect(validator.faults == [])
    return validator
  }

  @Test func everyKindOfRowIsAStrictEntry() throws {
    let rows = ExportExample().rows
    let entries = try validated(rows).entries
    #expect(entries.count == rows.count)
    #expect(Set(entries.compactMap { $0["_id"]?.string }) == Set(rows.map(\.row.id)))
    #expect(try validated([]).entries.isEmpty)
  }

  @Test func aRowIsToldAsItWas() throws {
    let rows = ExportExample().rows
    let entries = try validated(rows).entries
    let entry = try #require(entries.first)
    #expect(entry["startedDateTime"]?.string == rows[0].row.startedAt.text)
    #expect(entry["time"]?.sourceText == "24.3")
    #expect(
      entry["timings"]?.sourceText
        == #"{"blocked":0.5,"dns":1.25,"connect":9.5,"ssl":7.5,"send":0.05,"wait":12.34,"receive":0.66}"#)
    let query = entry["request"]?["queryString"]?.elements ?? []
    #expect(query.compactMap { $0["name"]?.string } == ["a", "email", "b"])
    #expect(query.last?["value"]?.string == " x+y")
    #expect(query[1]["value"]?.string?.hasPrefix("‹email:") == true)
    let names = entry["request"]?["headers"]?.elements.compactMap { $0["name"]?.string }
    #expect(names == ["Accept", "Authorization", "X-Twice", "X-Twice"])
    #expect(entry["response"]?["statusText"]?.string == "OK")
    #expect(entry["response"]?["content"]?["text"]?.string == rows[0].response?.body)
    #expect(entry["_redactions"]?.elements.isEmpty == false)
    let redirect = try #require(entries.first { $0["response"]?["status"]?.int64 == 302 })
    #expect(redirect["response"]?["redirectURL"]?.string?.hasPrefix("/new?token=%E2%80%B9token:") == true)
  }

  @Test func whatTheFormatLacksStandsInMembersOfItsOwn() throws {
    let entries = try validated(ExportExample().rows).entries
    let failed = try #require(entries.first { $0["_error"]?.string == "timeout" })
    #expect(failed["response"]?["status"]?.int64 == 0 && failed["time"]?.sourceText == "30000")
    #expect(failed["timings"]?["blocked"]?.sourceText == "30000", "what no phase accounts for")
    #expect(failed["_errorDetail"]?.string == "no byte for 30 s")
    let faulted = try #require(entries.first { $0["_fault"] != nil })
    let fault = try #require(faulted["_fault"].flatMap { RowFault(har: $0) })
    #expect(faulted["_fault"]?["id"]?.string == "f-1" && faulted["_source"]?.string == "fault")
    #expect(fault.name.hasPrefix("Down | ‹email:") && fault.action == "status" && fault.preset == "backend-down")
    let hidden = try #require(entries.first { $0["_truncated"]?["request"]?.string == "not kept" })
    #expect(hidden["request"]?["postData"]?["text"]?.string == "" && hidden["request"]?["bodySize"]?.int64 == 17)
    #expect(hidden["_truncated"]?["response"]?.string == "not kept")
    #expect(entries.contains { $0["_state"]?.string == "waiting" })
    for entry in entries { #expect(entry["_call"] != nil && entry["_flow"] != nil && entry["_attempt"]?.int64 == 1) }
  }

  @Test func rowsStandInTheOrderInWhichTheyBegan() throws {
    let rows = ExportExample().rows
    let order = try validated(rows).entries.compactMap { $0["_seq"]?.int64 }
    #expect(order == [1, 2, 3, 6, 4, 5, 7], "the sixth began before the fourth")
  }

  @Test func sumsHoldForWhateverPhasesAreKnown() throws {
    var random = SplitMix(state: 11)
    let example = ExportExample(plain: 1)
    for _ in 0..<400 {
      func some() -> Double? { random.below(3) == 0 ? nil : Double(random.below(1_000_000)) / 997 }
      example.add(
        timings: NetworkTimings(
          queue: some(), dns: some(), connect: some(), tls: some(), send: some(), wait: some(), receive: some(), total: some()))
    }
    #expect(try validated(example.rows).entries.count == 401)
  }
}

/// Deterministic random numbers.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number in `0 ..< bound`.
  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
