import FoundationEssentials
import Observability

/// The searchable text of saved rows, in lines that are sealed by the batch, so that a million rows are opened in few pieces.
///
/// A changed row is in several batches; an older line may be outdated.
struct SearchText: Sendable {
  private static let newline = UInt8(ascii: "\n")
  /// Separates the fields of a line: flags, method, path, query, endpoint, flow, status, error and host, which older lines lack.
  private static let separator: UInt8 = 1

  let first: RowSequence
  let last: RowSequence
  let document: [UInt8]

  /// The lines of some rows; nil if there are none.
  init?(_ rows: some Sequence<NetworkRow>) {
    var first = RowSequence.last
    var last = RowSequence(clamping: 0)
    var document: [UInt8] = []
    for row in rows {
      first = min(first, row.seq)
      last = max(last, row.seq)
      document += "\(row.seq)".utf8
      let fields = [
        Self.flags(row), row.method, row.path, row.query ?? "", row.endpoint, row.flow, row.status.map(String.init) ?? "",
        row.error ?? "", row.host ?? "",
      ]
      for field in fields {
        document.append(Self.separator)
        // A separator in the text would end the line or the field.
        document += field.lowercased().utf8.lazy.map { $0 == Self.newline || $0 == Self.separator ? UInt8(ascii: " ") : $0 }
      }
      document.append(Self.newline)
    }
    guard !document.isEmpty else { return nil }
    self.first = first
    self.last = last
    self.document = document
  }

  private static func flags(_ row: NetworkRow) -> String {
    let drift = row.drift.map { $0.contains(where: \.isMissing) ? "dm" : "d" } ?? ""
    return row.state == .failure && row.status ?? 0 < 400 ? drift + "e" : drift
  }

  // MARK: Searching

  /// Selects lines as a filter selects rows.
  struct Query: Sendable {
    private let flags: [UInt8]
    private let method: [UInt8]?
    private let endpoint: [UInt8]?
    private let status: NetworkFilter.Status?
    private let text: [UInt8]

    init(_ filter: NetworkFilter) {
      var flags: [UInt8] = []
      switch filter.drift {
      case .any: flags.append(UInt8(ascii: "d"))
      case .missing: flags.append(UInt8(ascii: "m"))
      case nil: break
      }
      if filter.status == .error { flags.append(UInt8(ascii: "e")) }
      self.flags = flags
      method = filter.method.map { Array($0.lowercased().utf8) }
      endpoint = filter.endpoint.map { Array($0.lowercased().utf8) }
      status = filter.status
      text = Array((filter.text ?? "").lowercased().utf8)
    }

    /// Adds the numbers of the rows whose lines match.
    func search(_ document: [UInt8], into found: inout [RowSequence]) {
      let bytes = document.span
      var place = 0
      while place < bytes.count, let hit = text.isEmpty ? place : Self.place(of: text, in: bytes, from: place) {
        var start = hit
        var end = hit
        while start > place, bytes[start - 1] != SearchText.newline { start -= 1 }
        while end < bytes.count, bytes[end] != SearchText.newline { end += 1 }
        let line = bytes.extracting(start..<end)
        if matches(line) { found.append(SearchText.number(line)) }
        place = end + 1
      }
    }

    private func matches(_ line: Span<UInt8>) -> Bool {
      let fields = SearchText.fields(line)
      guard fields.count >= 8 else { return false }
      /// Whether a field is these bytes.
      func equals(_ wanted: [UInt8], _ field: Int) -> Bool {
        fields[field].count == wanted.count
          && fields[field].indices.allSatisfy { line[$0] == wanted[$0 - fields[field].lowerBound] }
      }
      guard flags.allSatisfy({ flag in fields[0].contains { line[$0] == flag } }) else { return false }
      if let method, !equals(method, 1) { return false }
      if let endpoint, !equals(endpoint, 4) { return false }
      switch status {
      case .code(let code): if !equals(Array("\(code)".utf8), 6) { return false }
      case .statusClass(let hundred):
        guard fields[6].count == 3, line[fields[6].lowerBound] == UInt8(ascii: "0") + UInt8(clamping: hundred) else {
          return false
        }
      case .error, nil: break
      }
      // The number and the flags are not searched.
      return text.isEmpty || Self.place(of: text, in: line, from: fields[1].lowerBound) != nil
    }

    /// The first place of a text that is not empty.
    private static func place(of text: [UInt8], in bytes: Span<UInt8>, from start: Int) -> Int? {
      let wanted = text.span
      let last = bytes.count - text.count
      let first = wanted[0]
      var place = start
      while place <= last {
        if bytes[place] == first {
          var length = 1
          while length < wanted.count, bytes[place + length] == wanted[length] { length += 1 }
          if length == wanted.count { return place }
        }
        place += 1
      }
      return nil
    }
  }

  /// The number at the start of a line.
  private static func number(_ line: Span<UInt8>) -> RowSequence {
    var number: UInt64 = 0
    for place in line.indices {
      guard line[place] != separator else { break }
      number = number &* 10 &+ UInt64(line[place] &- UInt8(ascii: "0"))
    }
    return RowSequence(clamping: number)
  }

  /// Where the fields of a line are.
  private static func fields(_ line: Span<UInt8>) -> [Range<Int>] {
    var fields = [Range<Int>]()
    var start = 0
    fields.reserveCapacity(9)
    for place in line.indices where line[place] == separator {
      fields.append(start..<place)
      start = place + 1
    }
    fields.append(start..<line.count)
    return Array(fields.dropFirst())
  }
}
