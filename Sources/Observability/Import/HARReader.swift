import JSON
import Text
import Redaction

/// Reads HAR 1.2 as this program, browsers and proxies write it, without what no backend has answered.
enum HARReader {
  /// The most entries.
  static let countLimit = 100_000
  /// The most values and keys of the document, which bounds the memory that it takes.
  static let valueLimit = 8_000_000

  private static let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]

  /// Returns the answered calls, ordered by their start if every entry says when it started.
  ///
  /// Left out are answers of this program's cache and fault rules, calls without an answer, and successful answers whose body
  /// was not recorded.
  static func exchanges(in bytes: [UInt8]) throws(RecordingError) -> [RecordedExchange] {
    var budget = RecordedSession.sizeLimit
    let exchanges = try entries(in: bytes) { entry throws(RecordingError) in try exchange(entry, budget: &budget) }
    guard exchanges.contains(where: { $0.status != 304 }) else { throw .noAnswers }
    return exchanges
  }

  /// Returns every attempt over HTTP, answered or not, ordered like `exchanges(in:)`.
  static func attempts(in bytes: [UInt8]) throws(RecordingError) -> [RecordedAttempt] {
    var budget = RecordedSession.sizeLimit
    return try entries(in: bytes) { entry throws(RecordingError) in try attempt(entry, budget: &budget) }
  }

  /// Returns what `read` makes of the entries, without the nil ones, ordered by their start if each says when it started.
  private static func entries<Entry>(
    in bytes: [UInt8], _ read: (JSONNode) throws(RecordingError) -> Entry?
  ) throws(RecordingError) -> [Entry] {
    let bytes = bytes.starts(with: byteOrderMark) ? Array(bytes.dropFirst(byteOrderMark.count)) : bytes
    guard hasFewValues(bytes) else { throw .tooLarge }
    guard let document = ToleratedJSON.document(bytes) else { throw .unknownFormat }
    guard let list = document.root["log"]?["entries"], list.kind == .array else { throw .notHAR }
    guard list.count > 0 else { throw .noEntries }
    guard list.count <= countLimit else { throw .tooLarge }
    var entries: [(start: Timestamp?, entry: Entry)] = []
    for node in list.elements {
      guard let entry = try read(node) else { continue }
      entries.append((node["startedDateTime"]?.string.flatMap { Timestamp(parsing: $0) }, entry))
    }
    guard entries.allSatisfy({ $0.start != nil }) else { return entries.map(\.entry) }
    let order = entries.indices.sorted { left, right in
      let starts = (entries[left].start?.milliseconds ?? 0, entries[right].start?.milliseconds ?? 0)
      return starts.0 == starts.1 ? left < right : starts.0 < starts.1
    }
    return order.map { entries[$0].entry }
  }

  /// Whether the document has at most `valueLimit` values and keys; each but the first follows one of these bytes.
  private static func hasFewValues(_ bytes: [UInt8]) -> Bool {
    var (count, isText, isEscaped) = (0, false, false)
    for byte in bytes {
      if isText {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isText = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isText = true
      case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "{"): count += 1
      default: break
      }
    }
    return count <= valueLimit
  }

  /// Returns an entry as an exchange; `budget` is the number of bytes that compressed bodies may still become.
  private static func exchange(_ entry: JSONNode, budget: inout Int) throws(RecordingError) -> RecordedExchange? {
    guard let request = entry["request"], let response = entry["response"], let method = request["method"]?.string,
      let target = request["url"]?.string.flatMap({ target(ofURL: $0) }), let status = response["status"]?.int64,
      (200...599).contains(status), !["fault", "cache"].contains(entry["_source"]?.string),
      let body = try body(response, status: status, budget: &budget)
    else { return nil }
    let requestBody = self.requestBody(request)
    return RecordedExchange(
      method: method, path: target.path, query: target.query, requestBody: requestBody.isEmpty ? nil : requestBody,
      isAuthorized: value(of: "authorization", in: request) != nil, status: Int(status),
      headers: lines(of: response), body: body)
  }

  private static func attempt(_ entry: JSONNode, budget: inout Int) throws(RecordingError) -> RecordedAttempt? {
    guard let request = entry["request"], let method = request["method"]?.string,
      let target = request["url"]?.string.flatMap({ target(ofURL: $0) })
    else { return nil }
    let response = entry["response"]
    // Programs write 0 for a call without an answer.
    let status = response?["status"]?.int64.flatMap { (100...599).contains($0) ? Int($0) : nil }
    var content: [UInt8]?
    if let response, let status { content = try body(response, status: Int64(status), budget: &budget) }
    return RecordedAttempt(
      id: entry["_id"]?.string, callID: entry["_call"]?.string, flow: entry["_flow"]?.string, method: method, path: target.path,
      status: status,
      source: entry["_source"]?.string,
      milliseconds: (entry["_total"] ?? entry["time"])?.double.flatMap { RecordedAttempt.durations.contains($0) ? $0 : nil },
      body: content)
  }

  /// The path and the query of an absolute HTTP address; nil for any other.
  static func target(ofURL url: String) -> (path: String, query: String?)? {
    let lower = url.prefix(8).lowercased()
    guard let scheme = ["https://", "http://"].first(where: { lower.hasPrefix($0) }),
      url.utf8.allSatisfy({ (0x21..<0x7F).contains($0) })
    else { return nil }
    let rest = url.dropFirst(scheme.count).prefix { $0 != "#" }
    let target = rest.drop { $0 != "/" && $0 != "?" }
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let path = parts.first.map(String.init) ?? ""
    return (path.isEmpty ? "/" : path, parts.count == 2 ? String(parts[1]) : nil)
  }

  /// The body of an answer, empty if it has none; nil if it was not recorded, which only an error answer can do without.
  static func body(_ response: JSONNode, status: Int64, budget: inout Int) throws(RecordingError) -> [UInt8]? {
    let content = response["content"]
    guard let text = content?["text"]?.string else {
      let size = content?["size"]?.int64 ?? 0
      return size <= 0 && content?["comment"] == nil || status == 204 || status >= 300 ? [] : nil
    }
    guard content?["encoding"]?.string?.lowercased() == "base64" else { return Array(text.utf8) }
    guard let bytes = Base64.decode(text) else { return nil }
    // A HAR contains decoded bodies, but some programs record the bytes as they were sent.
    guard let coding = value(of: "content-encoding", in: response)?.lowercased(), ["gzip", "x-gzip", "deflate"].contains(coding)
    else { return bytes }
    switch InflatedBody.inflate(bytes, upTo: budget) {
    case .bytes(let decoded):
      budget -= decoded.count
      return decoded
    case .tooLarge: throw .tooLarge
    default: return bytes
    }
  }

  /// The body of a request, empty if it has none; some programs write the fields of a form instead of its text.
  static func requestBody(_ request: JSONNode) -> [UInt8] {
    let data = request["postData"]
    if let text = data?["text"]?.string, !text.isEmpty {
      let isBase64 = (data?["encoding"] ?? data?["_encoding"])?.string?.lowercased() == "base64"
      return (isBase64 ? Base64.decode(text) : nil) ?? Array(text.utf8)
    }
    guard data?["mimeType"]?.string?.lowercased().contains("multipart") != true else { return [] }
    let fields = (data?["params"]?.elements ?? []).compactMap { field in
      field["name"]?.string.map { "\(PercentCoding.encode($0))=\(PercentCoding.encode(field["value"]?.string ?? ""))" }
    }
    return Array(fields.joined(separator: "&").utf8)
  }

  /// The header lines of a message, in order, without the pseudo-headers of HTTP/2, which say the target again.
  static func lines(of message: JSONNode) -> [(name: String, value: String)] {
    (message["headers"]?.elements ?? []).compactMap { line in
      guard let name = line["name"]?.string, let value = line["value"]?.string, !name.hasPrefix(":") else { return nil }
      return (name, value)
    }
  }

  private static func value(of name: String, in message: JSONNode) -> String? {
    lines(of: message).first { $0.name.lowercased() == name }?.value
  }
}
