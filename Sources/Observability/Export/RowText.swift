import JSON
import Redaction

/// Writes rows as JSON, byte for byte like their `Encodable` conformances but faster (see `JSONWriter`); tests compare the two.
///
/// The list writes thousands of rows, the event stream each change, an export all of them.
enum RowText {
  /// Writes a row; with `detail`, the detail's fields are between the row's own.
  static func write(_ row: NetworkRow, detail: NetworkRowDetail? = nil, into writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("attempt", row.attempt)
    writer.member("call_id", row.callID)
    if let connection = detail?.connection { write(connection, into: &writer) }
    if let drift = row.drift { write(drift, into: &writer) }
    if let count = row.driftCount { writer.member("drift_count", count) }
    write("duration_ms", row.durationMilliseconds, into: &writer)
    writer.member("endpoint", row.endpoint)
    write("error", row.error, into: &writer)
    write("error_detail", row.errorDetail, into: &writer)
    if let fault = row.fault { write("fault", fault, into: &writer) }
    write("fault_id", row.faultID, into: &writer)
    writer.member("flow", row.flow)
    writer.member("flow_id", row.flowID)
    write("host", row.host, into: &writer)
    writer.member("id", row.id)
    writer.key("is_pinned")
    writer.flag(row.isPinned)
    writer.key("is_redacted")
    writer.flag(row.isRedacted)
    writer.member("method", row.method)
    write("parent_id", row.parentID, into: &writer)
    writer.member("path", row.path)
    if let detail {
      if !detail.presentedPins.isEmpty { write("presented_pins", detail.presentedPins, into: &writer) { $0.string($1) } }
    }
    write("query", row.query, into: &writer)
    if let detail {
      write(detail.redactions, into: &writer)
      write("request", detail.request, status: nil, into: &writer)
    }
    writer.member("request_bytes", row.requestBytes)
    if let response = detail?.response { write("response", response, status: row.status, into: &writer) }
    if let bytes = row.responseBytes { writer.member("response_bytes", bytes) }
    writer.member("rev", row.rev)
    writer.member("seq", row.seq.number)
    write("setup_ms", row.setupMilliseconds, into: &writer)
    writer.member("source", row.source.rawValue)
    writer.member("started_at", row.startedAt.text)
    writer.member("state", row.state.rawValue)
    if let status = row.status { writer.member("status", status) }
    if let detail {
      write(detail.timings, into: &writer)
      writer.member("url", detail.url)
    }
    write("wait_ms", row.waitMilliseconds, into: &writer)
    writer.endObject()
  }

  /// Writes a detail's fields in addition to its row's, for storage.
  static func writeRest(_ detail: NetworkRowDetail, into writer: inout JSONWriter) {
    writer.beginObject()
    if let connection = detail.connection { write(connection, into: &writer) }
    if !detail.presentedPins.isEmpty { write("presented_pins", detail.presentedPins, into: &writer) { $0.string($1) } }
    write(detail.redactions, into: &writer)
    write("request", detail.request, status: nil, into: &writer)
    if let response = detail.response { write("response", response, status: nil, into: &writer) }
    write(detail.timings, into: &writer)
    writer.member("url", detail.url)
    writer.endObject()
  }

  private static func write(_ name: String, _ text: String?, into writer: inout JSONWriter) {
    if let text { writer.member(name, text) }
  }

  private static func write(_ name: String, _ number: Double?, into writer: inout JSONWriter) {
    if let number { writer.member(name, number) }
  }

  private static func write<Element>(
    _ name: String, _ elements: [Element], into writer: inout JSONWriter, each: (inout JSONWriter, Element) -> Void
  ) {
    writer.key(name)
    writer.beginArray()
    for element in elements { each(&writer, element) }
    writer.endArray()
  }

  private static func write(_ drift: [NetworkDrift], into writer: inout JSONWriter) {
    write("drift", drift, into: &writer) { writer, drift in
      writer.beginObject()
      writer.member("expected", drift.expected)
      writer.member("got", drift.got)
      writer.member("kind", drift.kind.rawValue)
      writer.member("pointer", drift.pointer)
      writer.member("where", drift.side.rawValue)
      writer.endObject()
    }
  }

  /// Writes a fault as a member, with more members after its own.
  static func write(_ name: String, _ fault: RowFault, id: String? = nil, into writer: inout JSONWriter) {
    writer.key(name)
    writer.beginObject()
    writer.member("action", fault.action)
    write("id", id, into: &writer)
    writer.member("name", fault.name)
    write("preset", fault.preset, into: &writer)
    writer.endObject()
  }

  private static func write(_ redactions: [Redaction], into writer: inout JSONWriter) {
    write("redactions", redactions, into: &writer) { writer, redaction in
      writer.beginObject()
      writer.member("count", redaction.count)
      writer.member("kind", redaction.kind.rawValue)
      writer.member("where", redaction.place.rawValue)
      writer.endObject()
    }
  }

  private static func write(_ name: String, _ message: RedactedMessage, status: Int?, into writer: inout JSONWriter) {
    writer.key(name)
    writer.beginObject()
    write("body", message.body, into: &writer)
    write("body_note", message.bodyNote?.rawValue, into: &writer)
    write("headers", message.headers, into: &writer) { writer, line in
      writer.beginArray()
      writer.string(line.name)
      writer.string(line.value)
      writer.endArray()
    }
    if let status { writer.member("status", status) }
    if !message.tokens.isEmpty { write("tokens", message.tokens, into: &writer) { $1.write(into: &$0) } }
    writer.endObject()
  }

  private static func write(_ connection: NetworkConnection, into writer: inout JSONWriter) {
    writer.key("connection")
    writer.beginObject()
    write("http_version", connection.httpVersion, into: &writer)
    write("server_address", connection.serverAddress, into: &writer)
    writer.endObject()
  }

  private static func write(_ timings: NetworkTimings, into writer: inout JSONWriter) {
    writer.key("timings")
    writer.beginObject()
    write("connect_ms", timings.connect, into: &writer)
    write("dns_ms", timings.dns, into: &writer)
    write("queue_ms", timings.queue, into: &writer)
    write("receive_ms", timings.receive, into: &writer)
    write("send_ms", timings.send, into: &writer)
    write("tls_ms", timings.tls, into: &writer)
    write("total_ms", timings.total, into: &writer)
    write("wait_ms", timings.wait, into: &writer)
    writer.endObject()
  }
}

extension NetworkRow {
  /// The row as the event stream carries it.
  package var json: [UInt8] {
    var writer = JSONWriter()
    RowText.write(self, into: &writer)
    return writer.bytes
  }
}

extension NetworkRowDetail {
  /// The complete row, as in the detail and the exports.
  package var json: [UInt8] {
    var writer = JSONWriter()
    RowText.write(row, detail: self, into: &writer)
    return writer.bytes
  }
}

extension NetworkPage {
  /// The page as the list returns it.
  package var json: [UInt8] { json(rows: events.map(\.json)) }

  /// The page with these rows instead of its own.
  func json(rows: [[UInt8]]) -> [UInt8] {
    var writer = JSONWriter(capacity: rows.reduce(256) { $0 + $1.count + 1 })
    writer.beginObject()
    writer.member("capacity", capacity)
    writer.member("dropped", dropped)
    writer.key("events")
    writer.beginArray()
    for row in rows { writer.raw(row) }
    writer.endArray()
    if let gaps {
      writer.key("gaps")
      writer.beginArray()
      for gap in gaps {
        writer.beginObject()
        writer.member("after", gap.after.number)
        writer.member("at", gap.at.text)
        writer.endObject()
      }
      writer.endArray()
    }
    writer.member("next", next.number)
    if let older { writer.member("older", older) }
    writer.endObject()
    return writer.bytes
  }
}
