import JSON
import Redaction

/// A HAR 1.2 file with one entry for each row, oldest first. Data that the format does not cover is in members that begin with
/// `_`.
package enum HARDocument {
  /// The file in pieces: the head, one piece for each entry, and the end.
  package static func file(name: String, rows: [NetworkRowDetail], version: String) -> ExportFile {
    // Rows are numbered when they are created, but one that waited may have started after a later one.
    let order = rows.indices.sorted { (rows[$0].row.startedAt, rows[$0].row.seq) < (rows[$1].row.startedAt, rows[$1].row.seq) }
    return ExportFile(name: name, pieceCount: rows.count + 2) { index in
      switch index {
      case 0: head(version: version)
      case rows.count + 1: Array("\n]}}\n".utf8)
      default: (index == 1 ? Array("\n".utf8) : Array(",\n".utf8)) + entry(rows[order[index - 1]])
      }
    }
  }

  private static func head(version: String) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("name", "Understudy")
    writer.member("version", version)
    writer.endObject()
    return Array(#"{"log":{"version":"1.2","creator":"#.utf8) + writer.bytes
      + Array(#","pages":[],"comment":"Secrets are masked.","entries":["#.utf8)
  }

  /// A row as an entry.
  static func entry(_ detail: NetworkRowDetail) -> [UInt8] {
    let timings = HARTimings(detail)
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("startedDateTime", detail.row.startedAt.text)
    writer.member("time", timings.time)
    writer.key("request")
    write(request: detail, into: &writer)
    writer.key("response")
    write(response: detail, into: &writer)
    writer.key("cache")
    writer.raw("{}")
    writer.key("timings")
    timings.write(into: &writer)
    if let address = detail.connection?.serverAddress { writer.member("serverIPAddress", address) }
    write(ownMembers: detail, into: &writer)
    writer.endObject()
    return writer.bytes
  }

  private static func write(request detail: NetworkRowDetail, into writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("method", detail.row.method)
    writer.member("url", URLText.escaped(detail.url))
    writer.member("httpVersion", detail.connection?.httpVersion ?? "unknown")
    writer.key("cookies")
    writer.raw("[]")
    write(headers: detail.request.headers, into: &writer)
    writer.key("queryString")
    writer.beginArray()
    for item in URLText.items(ofQuery: detail.query ?? "") { write(pair: item, into: &writer) }
    writer.endArray()
    if detail.row.requestBytes > 0 || detail.request.body != nil {
      writer.key("postData")
      writer.beginObject()
      writer.member("mimeType", value(of: "content-type", in: detail.request.headers) ?? "application/octet-stream")
      writer.member("text", detail.request.body ?? "")
      if let note = detail.request.bodyNote { writer.member("comment", note.rawValue) }
      writer.endObject()
    }
    writer.member("headersSize", -1)
    writer.member("bodySize", detail.row.requestBytes)
    write(tokens: detail.request.tokens, into: &writer)
    writer.endObject()
  }

  private static func write(tokens: [MaskedToken], into writer: inout JSONWriter) {
    guard !tokens.isEmpty else { return }
    writer.key("_tokens")
    writer.beginArray()
    for token in tokens { token.write(into: &writer) }
    writer.endArray()
  }

  private static func write(response detail: NetworkRowDetail, into writer: inout JSONWriter) {
    let headers = detail.response?.headers ?? []
    let status = detail.row.status ?? 0
    writer.beginObject()
    writer.member("status", status)
    writer.member("statusText", ReasonPhrase.text(status))
    writer.member("httpVersion", detail.response == nil ? "" : detail.connection?.httpVersion ?? "unknown")
    writer.key("cookies")
    writer.raw("[]")
    write(headers: headers, into: &writer)
    writer.key("content")
    writer.beginObject()
    writer.member("size", contentSize(detail))
    writer.member("mimeType", value(of: "content-type", in: headers) ?? "")
    if let text = detail.response?.body { writer.member("text", text) }
    if let note = detail.response?.bodyNote { writer.member("comment", note.rawValue) }
    writer.endObject()
    writer.member("redirectURL", value(of: "location", in: headers).map(URLText.escaped) ?? "")
    writer.member("headersSize", -1)
    writer.member("bodySize", detail.row.responseBytes ?? -1)
    write(tokens: detail.response?.tokens ?? [], into: &writer)
    writer.endObject()
  }

  /// The size of the decoded body: the bytes sent over the network if they were not encoded, otherwise the length of the text.
  private static func contentSize(_ detail: NetworkRowDetail) -> Int {
    guard let response = detail.response else { return 0 }
    let coding = value(of: "content-encoding", in: response.headers)?.lowercased() ?? "identity"
    return coding == "identity" ? detail.row.responseBytes ?? -1 : response.body?.utf8.count ?? -1
  }

  private static func write(headers: [(name: String, value: String)], into writer: inout JSONWriter) {
    writer.key("headers")
    writer.beginArray()
    for line in headers { write(pair: line, into: &writer) }
    writer.endArray()
  }

  private static func write(pair: (name: String, value: String), into writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("name", pair.name)
    writer.member("value", pair.value)
    writer.endObject()
  }

  private static func write(ownMembers detail: NetworkRowDetail, into writer: inout JSONWriter) {
    let row = detail.row
    // The type that browsers show in their network panel; they would otherwise guess from the media type.
    writer.member("_resourceType", "fetch")
    writer.member("_id", row.id)
    writer.member("_seq", row.seq.number)
    writer.member("_state", row.state.rawValue)
    writer.member("_source", row.source.rawValue)
    writer.member("_endpoint", row.endpoint)
    writer.member("_flow", row.flow)
    writer.member("_flowId", row.flowID)
    writer.member("_call", row.callID)
    writer.member("_attempt", row.attempt)
    if let parent = row.parentID { writer.member("_parent", parent) }
    if let fault = row.fault {
      RowText.write("_fault", fault, id: row.faultID, into: &writer)
    } else if let id = row.faultID {
      writer.member("_fault", id)
    }
    if let error = row.error { writer.member("_error", error) }
    if let error = detail.row.errorDetail { writer.member("_errorDetail", error) }
    if let total = detail.timings.total { writer.member("_total", total) }
    let truncated = [("request", detail.request.bodyNote), ("response", detail.response?.bodyNote)]
    if truncated.contains(where: { $0.1 != nil }) {
      writer.key("_truncated")
      writer.beginObject()
      for case (let name, let note?) in truncated { writer.member(name, note.rawValue) }
      writer.endObject()
    }
    if let drift = row.drift {
      writer.key("_drift")
      writer.beginArray()
      for one in drift {
        writer.beginObject()
        writer.member("where", one.side.rawValue)
        writer.member("pointer", one.pointer)
        writer.member("expected", one.expected)
        writer.member("got", one.got)
        writer.member("kind", one.kind.rawValue)
        writer.endObject()
      }
      writer.endArray()
    }
    writer.key("_redactions")
    writer.beginArray()
    for redaction in detail.redactions {
      writer.beginObject()
      writer.member("where", redaction.place.rawValue)
      writer.member("kind", redaction.kind.rawValue)
      writer.member("count", redaction.count)
      writer.endObject()
    }
    writer.endArray()
  }

  private static func value(of name: String, in headers: [(name: String, value: String)]) -> String? {
    headers.first { $0.name.lowercased() == name }?.value
  }
}

/// The reason phrases of status codes (RFC 9110 §15). They are not recorded, because HTTP/2 does not send them.
enum ReasonPhrase {
  /// The reason phrase; empty for an unknown status.
  static func text(_ status: Int) -> String { texts[status] ?? "" }

  private static let texts = [
    100: "Continue", 101: "Switching Protocols", 103: "Early Hints", 200: "OK", 201: "Created", 202: "Accepted",
    203: "Non-Authoritative Information", 204: "No Content", 205: "Reset Content", 206: "Partial Content",
    300: "Multiple Choices", 301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified",
    307: "Temporary Redirect", 308: "Permanent Redirect", 400: "Bad Request", 401: "Unauthorized", 402: "Payment Required",
    403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 406: "Not Acceptable", 407: "Proxy Authentication Required",
    408: "Request Timeout", 409: "Conflict", 410: "Gone", 411: "Length Required", 412: "Precondition Failed",
    413: "Content Too Large", 414: "URI Too Long", 415: "Unsupported Media Type", 416: "Range Not Satisfiable",
    417: "Expectation Failed", 421: "Misdirected Request", 422: "Unprocessable Content", 425: "Too Early",
    426: "Upgrade Required", 428: "Precondition Required", 429: "Too Many Requests", 431: "Request Header Fields Too Large",
    500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable",
    504: "Gateway Timeout", 505: "HTTP Version Not Supported",
  ]
}

/// The timings of a HAR entry in milliseconds; `time` is their sum.
///
/// `ssl` is part of `connect`; -1 means that a phase did not take place. Time outside all phases counts as blocked.
struct HARTimings: Equatable {
  let blocked: Double
  let dns: Double
  let connect: Double
  let ssl: Double
  let send: Double
  let wait: Double
  let receive: Double
  /// The sum of all phases that took place.
  let time: Double

  init(_ detail: NetworkRowDetail) {
    let timings = detail.timings.rounded
    dns = timings.dns ?? -1
    ssl = timings.tls ?? -1
    connect = timings.connect == nil && timings.tls == nil ? -1 : Self.rounded((timings.connect ?? 0) + (timings.tls ?? 0))
    send = timings.send ?? 0
    wait = timings.wait ?? 0
    receive = timings.receive ?? 0
    let known = max(0, dns) + max(0, connect) + send + wait + receive
    let total = timings.total ?? detail.row.durationMilliseconds ?? 0
    let rest = Self.rounded(max(timings.queue ?? 0, total - known))
    blocked = timings.queue == nil && rest <= 0 ? -1 : max(0, rest)
    time = Self.rounded(known + max(0, blocked))
  }

  private static func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }

  /// Writes the `timings` object.
  func write(into writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("blocked", blocked)
    writer.member("dns", dns)
    writer.member("connect", connect)
    writer.member("ssl", ssl)
    writer.member("send", send)
    writer.member("wait", wait)
    writer.member("receive", receive)
    writer.endObject()
  }
}
