import Explain
import JSON

@testable import Observability
@testable import Redaction

/// A file becomes the same rows wherever it is split, or is refused; an archive never yields more than it may. An explanation names rows
/// of the file, and none for a session that was kept.
enum ImportFuzzer {
  /// What two imports of a file have in common; ids are random.
  private struct Outcome: Equatable {
    var rows: [[String]] = []
    var creator: String?
    var error: ImportError?
  }

  private static let sizeLimit = 1 << 16

  static func run(_ bytes: [UInt8]) {
    if ZipArchive.isZip(bytes) { readArchive(bytes) } else { readDocument(bytes) }
    for attempt in (try? RecordedSession.attempts(reading: bytes)) ?? [] {
      require(!attempt.method.isEmpty && !attempt.path.isEmpty, "an attempt without method or path")
    }
    _ = try? RecordedSession(reading: bytes)
    let explanation = try? ExplainedRecording.explanation(of: bytes)
    if let explanation { check(explanation) }
    let (outcome, rows) = ZipArchive.isZip(bytes) ? (Outcome(), []) : imported([bytes])
    guard outcome.error == nil, !rows.isEmpty else { return }
    // The file and its rows are explained with the same numbers.
    let numbers = Set(rows.map { Int(clamping: $0.row.seq.number) })
    let ofRows = Explanation(of: rows)
    check(ofRows)
    for one in [explanation, ofRows].compactMap({ $0 }) {
      let named = one.findings.flatMap(\.rows) + one.families.flatMap { $0.uses.map(\.row) }
      require(numbers.isSuperset(of: named), "an explanation names a row that is not imported")
    }
  }

  private static func check(_ explanation: Explanation) {
    require(explanation.verdict == .signedOut || explanation.findings.isEmpty, "a finding without an end")
    require(explanation.verdict != .signedOut || !explanation.findings.isEmpty, "an end without a finding")
    for finding in explanation.findings {
      require(!finding.rows.isEmpty && finding.rows == finding.rows.sorted(), "a finding without rows in order")
      require(!finding.say.isEmpty, "a finding without a sentence")
    }
    let named = Set(explanation.findings.flatMap(\.rows))
    require(Set(explanation.evidence.map(\.row)) == named, "a finding names a row that the file does not have")
  }

  private static func readDocument(_ bytes: [UInt8]) {
    var first: Outcome?
    for lengths in Splits.all(bytes) {
      var start = 0
      let pieces = lengths.map { length in
        defer { start += length }
        return Array(bytes[start..<(start + length)])
      }
      let outcome = imported(pieces).outcome
      if let first { require(outcome == first, "other rows when split into \(lengths.count) pieces") }
      first = outcome
    }
  }

  private static func readArchive(_ bytes: [UInt8]) {
    do throws(ArchiveError) {
      let archive = try ZipArchive(bytes)
      for name in archive.names {
        guard let reader = try? archive.reader(of: name, upTo: sizeLimit) else { continue }
        var made = 0
        do throws(ArchiveError) {
          while let piece = try reader.next() {
            require(!piece.isEmpty, "an empty piece")
            made += piece.count
          }
          require(made == reader.size && made <= sizeLimit, "\(made) bytes instead of \(reader.size)")
        } catch {
          require(error.entry == name && error.text.contains("entry"), "an error without the entry")
        }
      }
      let recording = try? RecordingArchive(bytes)
      if let reader = try recording?.rows(), reader.size <= sizeLimit {
        var pieces: [[UInt8]] = []
        while let piece = try reader.next() { pieces.append(piece) }
        _ = imported(pieces)
      }
    } catch {
      require(!error.text.isEmpty, "an error without a text")
    }
  }

  private static func imported(_ pieces: [[UInt8]]) -> (outcome: Outcome, rows: [NetworkRowDetail]) {
    let registry = SecretRegistry(tagKey: Array(repeating: 7, count: 32))
    var rows = ImportedRows(registry: registry) { _, path in
      EndpointTraits(name: path, isAuthentication: false, logsRequestBody: true, logsResponseBody: true)
    }
    var outcome = Outcome()
    var made: [NetworkRowDetail] = []
    do throws(ImportError) {
      for piece in pieces {
        for detail in try rows.add(piece) {
          made.append(detail)
          let row = detail.row
          let rest = StoredAttempt(detail).rest
          require(rest != nil, "a row that is not stored whole")
          outcome.rows.append([
            "\(row.seq)", row.method, row.path, "\(row.status ?? 0)", row.startedAt.text, row.error ?? "",
            String(decoding: rest ?? [], as: UTF8.self),
          ])
        }
      }
      made += try rows.finish()
    } catch {
      // How many rows came before the fault depends on the pieces; none of them is kept.
      return (Outcome(error: error), [])
    }
    outcome.creator = rows.creator
    return (outcome, made)
  }
}
