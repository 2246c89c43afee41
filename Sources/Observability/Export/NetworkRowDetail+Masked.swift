package import Redaction

extension NetworkRowDetail {
  /// The row, with secrets masked that became known after it was recorded.
  package func masked(by registry: SecretRegistry) -> NetworkRowDetail { masked(by: registry.scan()) }

  /// The row, with all secrets masked that are known now, including codes in any call.
  func masked(by scan: SecretScan) -> NetworkRowDetail {
    func mask(_ text: String) -> String { scan.thoroughlyMasked(text, context: .authentication, shapes: []).text }
    func mask(_ message: RedactedMessage) -> RedactedMessage {
      RedactedMessage(
        headers: message.headers.map { (name: mask($0.name), value: mask($0.value)) }, body: message.body.map(mask),
        bodyNote: message.bodyNote, tokens: message.tokens.map { $0.masked(by: scan) })
    }
    var masked = self
    masked.row.path = mask(row.path)
    masked.row.endpoint = mask(row.endpoint)
    masked.row.method = mask(row.method)
    masked.row.fault = row.fault?.masked(mask)
    masked.row.drift = row.drift?.map { drift in
      var masked = drift
      (masked.pointer, masked.expected, masked.got) = (mask(drift.pointer), mask(drift.expected), mask(drift.got))
      return masked
    }
    masked.url = mask(url)
    masked.row.query = row.query.map(mask)
    masked.request = mask(request)
    masked.response = response.map(mask)
    masked.row.errorDetail = row.errorDetail.map(mask)
    return masked
  }
}

extension ExportSelection {
  /// The rows, with secrets masked that became known after they were recorded.
  package func masked(by registry: SecretRegistry) -> ExportSelection {
    let scan = registry.scan()
    return ExportSelection(rows: rows.map { $0.masked(by: scan) }, isWhole: isWhole)
  }
}
