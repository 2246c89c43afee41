import JSON
import Text
import Redaction

/// Reads HAR 1.2 as this program, browsers and proxies write it, without entries that no backend responded to.
enum HARReader {
  /// The most entries.
  static let countLimit = 100_000
  /// The most values and keys of the document, which bounds the memory that it takes.
  static let valueLimit = 8_000_000

  /// Returns the calls with a response, ordered by their start; one without a date stays after the one before it.
  ///
  /// Leaves out responses of this program's cache and fault rules, calls without a response, and successful responses whose body
  /// was not recorded.
  static func exchanges(
    in bytes: [UInt8], attachment: (String) -> [UInt8]? = { _ in nil }
  ) throws(RecordingError) -> [RecordedExchange] {
    var budget = RecordedSession.sizeLimit
    let exchanges = try entries(in: bytes) { entry throws(RecordingError) in try exchange(entry, attachment, budget: &budget) }
    guard exchanges.contains(where: { $0.status != 304 }) else { throw .noAnswers }
    return exchanges
  }

  /// Returns every attempt over HTTP, with or without a response, ordered like `exchanges(in:)`.
  static func attempts(
    in bytes: [UInt8], attachment: (String) -> [UInt8]? = { _ in nil }
  ) throws(RecordingError) -> [RecordedAttempt] {
    var budget = RecordedSession.sizeLimit
    let attempts = try entries(in: bytes) { entry throws(RecordingError) in try attempt(entry, attachment, budget: &budget) }
    guard !attempts.isEmpty else { throw .noRequests }
    return attempts
  }

  /// Returns the results of `read` for the entries, without the nil ones, ordered by their start; one without a date stays after
  /// the one before it.
  private static func entries<Entry>(
    in bytes: [UInt8], _ read: (JSONNode) throws(RecordingError) -> Entry?
  ) throws(RecordingError) -> [Entry] {
    if let name = JSONElements.otherEncoding(bytes.first) { throw .encoding(name) }
    guard hasFewValues(bytes) else { throw .tooLarge }
    var entries: [(start: Timestamp?, entry: Entry)] = []
    var last: Timestamp?
    for node in try nodes(in: bytes) {
      last = HARDate.start(of: node) ?? last
      if let entry = try read(node) { entries.append((last, entry)) }
    }
    let first = entries.lazy.compactMap(\.start).first?.milliseconds ?? 0
    let order = entries.indices.sorted { left, right in
      let starts = (entries[left].start?.milliseconds ?? first, entries[right].start?.milliseconds ?? first)
      return starts.0 == starts.1 ? left < right : starts.0 < starts.1
    }
    return order.map { entries[$0].entry }
  }

  /// The entries; in a file with JSON faults, entries are repaired one by one, and left out if that is not possible.
  private static func nodes(in bytes: [UInt8]) throws(RecordingError) -> [JSONNode] {
    var nodes: [JSONNode] = []
    let bytes = JSONElements.withoutByteOrderMark(bytes)
    if let document = ToleratedJSON.document(bytes) {
      guard let list = document.root["log"]?["entries"], list.kind == .array else { throw .notHAR }
      nodes = Array(list.elements)
    } else {
      var elements = JSONElements()
      do {
        try elements.add(bytes) { part in
          if case .element(let bytes, _) = part, let document = ToleratedJSON.read(bytes) { nodes.append(document.root) }
        }
        try elements.finish()
      } catch {
        if case .encoding(let name)? = (error as? ImportError)?.reason { throw .encoding(name) }
        throw .unknownFormat
      }
    }
    guard !nodes.isEmpty else { throw .noEntries }
    guard nodes.count <= countLimit else { throw .tooLarge }
    return nodes
  }

  /// Whether the document has at most `valueLimit` values and keys; each but the first follows one of these bytes.
  private static func hasFewValues(_ bytes: [UInt8]) -> Bool {
    var count = 0
    var isText = false
    var isEscaped = false
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

  /// Returns an entry as an exchange; `budget` is the remaining number of bytes for unpacked bodies.
  private static func exchange(
    _ entry: JSONNode, _ attachment: (String) -> [UInt8]?, budget: inout Int
  ) throws(RecordingError) -> RecordedExchange? {
    guard let request = entry["request"], let response = entry["response"], let method = request["method"]?.string,
      let target = request["url"]?.string.flatMap({ target(ofURL: $0) }), let status = Self.status(of: response),
      status >= 200, !["fault", "cache"].contains(entry["_source"]?.string),
      let body = try body(response, attachment, budget: &budget)
    else { return nil }
    let requestBody = self.requestBody(request, attachment)
    return RecordedExchange(
      method: method, path: target.path, query: target.query, requestBody: requestBody.isEmpty ? nil : requestBody,
      isAuthorized: value(of: "authorization", in: request) != nil, status: status,
      headers: lines(of: response), body: body)
  }

  private static func attempt(
    _ entry: JSONNode, _ attachment: (String) -> [UInt8]?, budget: inout Int
  ) throws(RecordingError) -> RecordedAttempt? {
    guard let request = entry["request"], let method = request["method"]?.string,
      let target = request["url"]?.string.flatMap({ target(ofURL: $0) })
    else { return nil }
    let response = entry["response"]
    let status = response.flatMap { Self.status(of: $0) }
    var content: [UInt8]?
    if let response, status != nil { content = try body(response, attachment, budget: &budget) }
    return RecordedAttempt(
      id: entry["_id"]?.string, callID: entry["_call"]?.string, flow: entry["_flow"]?.string, method: method, path: target.path,
      status: status,
      source: entry["_source"]?.string, fault: entry["_fault"].flatMap { RowFault(har: $0) },
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

  /// The status of a response, which some programs write as text; nil for 0 and other numbers of a call without a response.
  static func status(of response: JSONNode) -> Int? {
    let node = response["status"]
    let number = node?.double ?? node?.string.flatMap(number(ofStatus:))
    return number.flatMap { (100...599).contains($0) && $0 == $0.rounded() ? Int($0) : nil }
  }

  /// The number in `200`, `200.0`, `200 OK` and `HTTP/1.1 200 OK`.
  private static func number(ofStatus text: String) -> Double? {
    let words = text.prefix(200).split(separator: " ")
    return (words.first?.hasPrefix("HTTP/") == true ? words.dropFirst() : words[...]).first.flatMap { Double($0) }
  }

  /// The body of a response, empty if it has none; nil if it was not recorded, except in an error response, where it is optional.
  private static func body(
    _ response: JSONNode, _ attachment: (String) -> [UInt8]?, budget: inout Int
  ) throws(RecordingError) -> [UInt8]? {
    if let body = try recordedBody(response, attachment, budget: &budget) { return body }
    return (status(of: response) ?? 0) >= 300 ? [] : nil
  }

  /// The body of a response, empty if it has none; nil if it was not recorded.
  static func recordedBody(
    _ response: JSONNode, _ attachment: (String) -> [UInt8]?, budget: inout Int
  ) throws(RecordingError) -> [UInt8]? {
    let content = response["content"]
    if let body = content?["_file"]?.string.flatMap(attachment) { return body }
    guard let text = content?["text"]?.string else {
      let size = content?["size"]?.int64 ?? 0
      return size <= 0 && content?["comment"] == nil && content?["_file"] == nil || status(of: response) == 204 ? [] : nil
    }
    // Some programs write the body's byte order mark, which is not part of its JSON.
    guard content?["encoding"]?.string?.lowercased() == "base64" else {
      return JSONElements.withoutByteOrderMark(Array(text.utf8))
    }
    guard let bytes = Base64.decodeLeniently(text) else { return nil }
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
  static func requestBody(_ request: JSONNode, _ attachment: (String) -> [UInt8]?) -> [UInt8] {
    let data = request["postData"]
    if let body = data?["_file"]?.string.flatMap(attachment) { return body }
    if let text = data?["text"]?.string, !text.isEmpty {
      let isBase64 = (data?["encoding"] ?? data?["_encoding"])?.string?.lowercased() == "base64"
      return (isBase64 ? Base64.decodeLeniently(text) : nil) ?? Array(text.utf8)
    }
    let fields = data?["params"].map { Array($0.elements) } ?? []
    let type = data?["mimeType"]?.string ?? ""
    if type.lowercased().hasPrefix("multipart/") { return multipart(fields, type: type) }
    let pairs = fields.compactMap { field in
      field["name"]?.string.map { "\(PercentCoding.encode($0))=\(PercentCoding.encode(field["value"]?.string ?? ""))" }
    }
    return Array(pairs.joined(separator: "&").utf8)
  }

  /// A form in parts (RFC 7578) from its fields; the content of files is not recorded.
  private static func multipart(_ fields: [JSONNode], type: String) -> [UInt8] {
    let parameters = type.split(separator: ";").map(\.trimmingWhitespace)
    guard !fields.isEmpty, let parameter = parameters.first(where: { $0.lowercased().hasPrefix("boundary=") }) else { return [] }
    let boundary = parameter.dropFirst("boundary=".count).filter { $0 != "\"" }
    func quoted(_ text: String) -> String {
      text.replacing("\"", with: "%22").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
    }
    let parts = fields.compactMap { field -> String? in
      guard let name = field["name"]?.string else { return nil }
      let file = field["fileName"]?.string.map { "; filename=\"\(quoted($0))\"" } ?? ""
      let kind = field["contentType"]?.string.map { "Content-Type: \(quoted($0))\r\n" } ?? ""
      let head = "Content-Disposition: form-data; name=\"\(quoted(name))\"\(file)\r\n\(kind)"
      return "--\(boundary)\r\n\(head)\r\n\(field["value"]?.string ?? "")\r\n"
    }
    return Array((parts.joined() + "--\(boundary)--\r\n").utf8)
  }

  /// The header lines of a message, in order, without the pseudo-headers of HTTP/2, which repeat the target.
  ///
  /// - Parameter isOfInterest: Which fields are read, by the bytes of their names. The first one is always read, to show whether
  ///   there are any.
  static func lines(
    of message: JSONNode, _ isOfInterest: ((ArraySlice<UInt8>) -> Bool)? = nil
  ) -> [(name: String, value: String)] {
    let document = message.document
    guard let list = document.member("headers", of: message.index) else { return [] }
    // Other programs write them as an object, or as pairs, or as lines.
    if let node = message["headers"], node.kind == .object || node.elements.first.map({ $0["name"] == nil }) ?? false {
      return otherLines(of: node).filter { !$0.name.hasPrefix(":") }
    }
    var lines: [(name: String, value: String)] = []
    for line in document.elements(of: list) {
      guard let key = document.member("name", of: line), document[key].kind == .string else { continue }
      let bytes = document.bytes[document[key].plainRange]
      if bytes.first == UInt8(ascii: ":") { continue }
      if let isOfInterest, !lines.isEmpty, !document[key].isEscaped, !isOfInterest(bytes) { continue }
      guard let value = document.string(document.member("value", of: line)) else { continue }
      lines.append((document.text(key), value))
    }
    return lines
  }

  /// The header lines in an object by their names, or in an array of such objects, of pairs, or of lines.
  private static func otherLines(of node: JSONNode) -> [(name: String, value: String)] {
    func texts(_ node: JSONNode) -> [String] {
      switch node.kind {
      case .array: node.elements.flatMap(texts)
      case .string: [node.string ?? ""]
      case .number, .bool: [node.sourceText]
      case .object, .null: []
      }
    }
    if node.kind == .object { return node.members.flatMap { member in texts(member.value).map { (member.key, $0) } } }
    return node.elements.flatMap { element -> [(name: String, value: String)] in
      switch element.kind {
      case .object:
        guard let name = element["name"]?.string else { return otherLines(of: element) }
        return element["value"]?.string.map { [(name, $0)] } ?? []
      case .array:
        let pair = element.elements.prefix(2).flatMap(texts)
        return pair.count == 2 ? [(pair[0], pair[1])] : []
      case .string:
        let line = element.string ?? ""
        guard let colon = line.firstIndex(of: ":") else { return [] }
        return [(line[..<colon].trimmingWhitespace, line[line.index(after: colon)...].trimmingWhitespace)]
      default: return []
      }
    }
  }

  private static func value(of name: String, in message: JSONNode) -> String? {
    lines(of: message).first { $0.name.lowercased() == name }?.value
  }
}
