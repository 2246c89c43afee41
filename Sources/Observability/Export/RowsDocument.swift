import JSON

/// Rows whole, as the console's detail answers them: a JSON array with a row a line.
enum RowsDocument {
  /// The file in pieces: a row a piece, and the end.
  static func file(name: String, rows: [NetworkRowDetail]) -> ExportFile {
    ExportFile(name: name, pieceCount: rows.count + 1) { index in
      guard index < rows.count else { return Array((rows.isEmpty ? "[]\n" : "\n]\n").utf8) }
      return Array((index == 0 ? "[\n" : ",\n").utf8) + row(rows[index])
    }
  }

  /// One row: byte for byte what the encoder makes of it, in a tenth of the time; a test holds the two together.
  static func row(_ detail: NetworkRowDetail) -> [UInt8] {
    let row = detail.row
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("attempt", row.attempt)
    writer.member("call_id", row.callID)
    write("duration_ms", row.durationMilliseconds, into: &writer)
    writer.member("endpoint", row.endpoint)
    write("error", row.error, into: &writer)
    write("error_detail", detail.errorDetail, into: &writer)
    write("fault_id", row.faultID, into: &writer)
    writer.member("flow", row.flow)
    writer.member("flow_id", row.flowID)
    writer.member("id", row.id)
    writer.key("is_pinned")
    writer.flag(row.isPinned)
    writer.key("is_redacted")
    writer.flag(row.isRedacted)
    writer.member("method", row.method)
    write("parent_id", row.parentID, into: &writer)
    writer.member("path", row.path)
    if !detail.presentedPins.isEmpty {
      writer.key("presented_pins")
      writer.beginArray()
      for pin in detail.presentedPins { writer.string(pin) }
      writer.endArray()
    }
    write(detail.redactions, into: &writer)
    write("request", detail.request, status: nil, into: &writer)
    writer.member("request_bytes", row.requestBytes)
    if let response = detail.response { write("response", response, status: row.status, into: &writer) }
    if let bytes = row.responseBytes { writer.member("response_bytes", bytes) }
    writer.member("rev", row.rev)
    writer.member("seq", row.seq)
    write("setup_ms", row.setupMilliseconds, into: &writer)
    writer.member("source", row.source.rawValue)
    writer.member("started_at", row.startedAt.text)
    writer.member("state", row.state.rawValue)
    if let status = row.status { writer.member("status", status) }
    write(detail.timings, into: &writer)
    writer.member("url", detail.url)
    write("wait_ms", row.waitMilliseconds, into: &writer)
    writer.endObject()
    return writer.bytes
  }

  private static func write(_ name: String, _ text: String?, into writer: inout JSONWriter) {
    if let text { writer.member(name, text) }
  }

  private static func write(_ name: String, _ number: Double?, into writer: inout JSONWriter) {
    if let number { writer.member(name, number) }
  }

  private static func write(_ redactions: [Redaction], into writer: inout JSONWriter) {
    writer.key("redactions")
    writer.beginArray()
    for redaction in redactions {
      writer.beginObject()
      writer.member("count", redaction.count)
      writer.member("kind", redaction.kind.rawValue)
      writer.member("where", redaction.place.rawValue)
      writer.endObject()
    }
    writer.endArray()
  }

  private static func write(_ name: String, _ message: RedactedMessage, status: Int?, into writer: inout JSONWriter) {
    writer.key(name)
    writer.beginObject()
    write("body", message.body, into: &writer)
    write("body_note", message.bodyNote?.rawValue, into: &writer)
    writer.key("headers")
    writer.beginArray()
    for line in message.headers {
      writer.beginArray()
      writer.string(line.name)
      writer.string(line.value)
      writer.endArray()
    }
    writer.endArray()
    if let status { writer.member("status", status) }
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
