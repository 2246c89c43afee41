import Text

/// Selects rows of the log; a row must match every part that is set.
package struct NetworkFilter: Equatable, Sendable {
  /// Selects rows by status.
  package enum Status: Equatable, Sendable {
    /// One status code, such as `503`.
    case code(Int)
    /// A status class by its first digit, such as `4xx`.
    case statusClass(Int)
    /// `err`: the attempt failed although its status shows no error: without a response, or with an unusable one.
    case error
  }

  /// Selects rows by their differences from the API description.
  package enum Drift: String, Equatable, Sendable {
    /// Any difference.
    case any
    /// A missing part on one side: the message lacks a required field, or the description lacks the operation, the status, the
    /// media type or the field.
    case missing
  }

  /// The most rows in one response.
  package static let maximumLimit = 10_000

  /// The method, ignoring case.
  package var method: String?
  package var status: Status?
  /// The full name of the endpoint.
  package var endpoint: String?
  /// The differences from the API description; also the words `drift:any` and `drift:missing` in `q`.
  package var drift: Drift?
  /// The source; `q` names it as `source:tool`.
  package var source: NetworkRow.Source?
  /// Text in the method, path, query, host, endpoint, flow, status or error, ignoring case.
  package var text: String?
  /// Only rows with a greater `seq`.
  package var after: RowSequence?
  /// Only the newest saved rows with a smaller `seq`.
  package var before: RowSequence?
  /// The most rows to return.
  package var limit: Int?

  /// Creates a filter that matches every row except those of the console itself.
  package init() {}

  /// The console's own requests.
  package static var tool: NetworkFilter {
    var filter = NetworkFilter()
    filter.source = .tool
    return filter
  }

  /// Parses the pairs of a query; ignores unknown names and empty values.
  ///
  /// Nil for an invalid status, drift or source, an `after` or `before` that is not a 64-bit number, a `limit` outside 1 to 10,000, or a repeated name.
  package init?(queryPairs: [(String, String)]) {
    var seen: Set<String> = []
    for (name, value) in queryPairs
    where ["method", "status", "endpoint", "drift", "source", "q", "after", "before", "limit"].contains(name) {
      guard seen.insert(name).inserted else { return nil }
      if value.isEmpty { continue }
      switch name {
      case "method": method = value
      case "status":
        guard let parsed = Self.status(value) else { return nil }
        status = parsed
      case "endpoint": endpoint = value
      case "drift":
        guard let parsed = Drift(rawValue: value.lowercased()) else { return nil }
        drift = parsed
      case "source":
        guard let parsed = NetworkRow.Source(rawValue: value.lowercased()) else { return nil }
        source = parsed
      case "q": setText(value)
      case "after":
        guard let number = Self.number(value) else { return nil }
        after = RowSequence(clamping: number)
      case "before":
        guard let number = Self.number(value) else { return nil }
        before = RowSequence(clamping: number)
      default:
        guard let number = Self.number(value), (1...UInt64(Self.maximumLimit)).contains(number) else { return nil }
        limit = Int(number)
      }
    }
  }

  /// Removes the words about drift and source from a text.
  private mutating func setText(_ value: String) {
    var words: [Substring] = []
    for word in value.split(separator: " ") {
      switch word.lowercased() {
      case "drift:any": drift = drift ?? .any
      case "drift:missing": drift = .missing
      default:
        if let named = Self.source(of: word) { source = named } else { words.append(word) }
      }
    }
    let isWhole = words.count == value.split(separator: " ").count
    text = isWhole ? value : words.isEmpty ? nil : words.joined(separator: " ")
  }

  /// The source that a word such as `source:tool` names.
  private static func source(of word: Substring) -> NetworkRow.Source? {
    let parts = word.lowercased().split(separator: ":", maxSplits: 1)
    return parts.count == 2 && parts[0] == "source" ? NetworkRow.Source(rawValue: String(parts[1])) : nil
  }

  /// Parses digits without a sign; nil if they do not fit 64 bits.
  private static func number(_ text: String) -> UInt64? {
    guard text.utf8.allSatisfy({ ASCII.isDigit($0) }) else { return nil }
    return UInt64(text)
  }

  private static func status(_ text: String) -> Status? {
    let text = text.lowercased()
    if text == "err" { return .error }
    guard text.utf8.count == 3, let first = text.utf8.first, (UInt8(ascii: "1")...UInt8(ascii: "5")).contains(first) else {
      return nil
    }
    if text.hasSuffix("xx") { return .statusClass(Int(first - UInt8(ascii: "0"))) }
    return number(text).map { .code(Int($0)) }
  }

  /// Whether a row matches, apart from `after`, `before` and `limit`.
  package func matches(_ row: NetworkRow) -> Bool {
    if let method, method.uppercased() != row.method.uppercased() { return false }
    if let endpoint, endpoint != row.endpoint { return false }
    // The console's own requests match only a filter for them.
    if source != row.source, source != nil || row.source == .tool { return false }
    switch drift {
    case nil: break
    case .any: if row.drift == nil { return false }
    case .missing: if row.drift?.contains(where: \.isMissing) != true { return false }
    }
    switch status {
    case nil: break
    case .code(let code): if row.status != code { return false }
    case .statusClass(let hundred): if row.status.map({ $0 / 100 }) != hundred { return false }
    case .error: if row.state != .failure || row.status ?? 0 >= 400 { return false }
    }
    guard let text else { return true }
    let wanted = text.lowercased()
    return [
      row.method, row.path, row.query ?? "", row.host ?? "", row.endpoint, row.flow, row.status.map(String.init) ?? "",
      row.error ?? "",
    ].contains { $0.lowercased().contains(wanted) }
  }
}
