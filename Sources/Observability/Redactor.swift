import JSON

/// Makes what may be kept of an attempt out of what the client saw; there is no other way into the log.
///
/// Rules by header, name and shape come on top of the registered secrets. Whatever it cannot read it leaves out.
package struct Redactor: Sendable {
  /// The largest body that is read; a larger one is not kept.
  package static let maximumBodyBytes = 2 * 1024 * 1024
  /// The most bytes that are kept of an error's text.
  static let maximumErrorBytes = 2000

  /// Where it asks what is known.
  private struct Source: Sendable {
    let scan: @Sendable () -> SecretScan
  }

  private var registry: Source

  /// A redactor that knows the secrets of `registry`, those that it learns later too.
  package init(registry: SecretRegistry) { self.registry = Source { registry.scan() } }

  /// A redactor that knows what this one knows now, whatever is learned or forgotten later.
  func frozen() -> Redactor {
    let scan = registry.scan()
    var frozen = self
    frozen.registry = Source { scan }
    return frozen
  }

  /// A request's path, query, headers and body without secrets, and what was taken out.
  func redact(_ request: RawRequest) -> (path: String, query: String?, message: RedactedMessage, redactions: [Redaction]) {
    let scan = registry.scan()
    let context = request.endpoint.context
    let path = scan.mask(request.path, context: context, shapes: .all)
    let query = request.query.map { Self.mask(query: $0, scan: scan, context: context) }
    let headers = Self.mask(headers: request.headers, scan: scan, context: context)
    let body = Self.mask(body: request.body, isKept: request.endpoint.logsRequestBody, scan: scan, context: context)
    let redactions =
      Redaction.list(path.counts.merging(query?.counts ?? [:], uniquingKeysWith: +), in: .url)
      + Redaction.list(headers.counts, in: .requestHeaders) + Redaction.list(body.counts, in: .requestBody)
    return (
      path.text, query?.text, RedactedMessage(headers: headers.lines, body: body.text, bodyNote: body.note), redactions
    )
  }

  /// A response's headers and body without secrets, and what was taken out.
  func redact(_ response: RawResponse, to endpoint: EndpointTraits) -> (message: RedactedMessage, redactions: [Redaction]) {
    let scan = registry.scan()
    let headers = Self.mask(headers: response.headers, scan: scan, context: endpoint.context)
    let body = Self.mask(body: response.body, isKept: endpoint.logsResponseBody, scan: scan, context: endpoint.context)
    return (
      RedactedMessage(headers: headers.lines, body: body.text, bodyNote: body.note),
      Redaction.list(headers.counts, in: .responseHeaders) + Redaction.list(body.counts, in: .responseBody)
    )
  }

  /// Any other text: an error, a name.
  package func redact(text: String, context: MaskContext) -> Masked {
    // Masked before it is cut, as half a secret would not be found.
    var masked = registry.scan().mask(text, context: context, shapes: .all)
    if masked.text.utf8.count > Self.maximumErrorBytes {
      masked.text = String(decoding: masked.text.utf8.prefix(Self.maximumErrorBytes), as: UTF8.self) + "…"
    }
    return masked
  }

  private static func mask(
    headers: [(name: String, value: String)], scan: SecretScan, context: MaskContext
  ) -> (lines: [(name: String, value: String)], counts: [SecretKind: Int]) {
    var counts: [SecretKind: Int] = [:]
    let lines = headers.map { line in
      let name = scan.mask(line.name, context: context, shapes: .all)
      let value = mask(header: line, scan: scan, context: context)
      counts.merge(name.counts, uniquingKeysWith: +)
      counts.merge(value.counts, uniquingKeysWith: +)
      return (name: name.text, value: value.text)
    }
    return (lines, counts)
  }

  private static func mask(header line: (name: String, value: String), scan: SecretScan, context: MaskContext) -> Masked {
    guard !line.value.isEmpty else { return Masked(text: "") }
    switch HeaderRules.treatment(of: line.name) {
    case .shown(let shapes):
      return line.name.lowercased() == "location"
        ? mask(reference: line.value, scan: scan, context: context)
        : scan.mask(line.value, context: context, shapes: shapes)
    case .masked(let kind): return whole(line.value, kind: kind, scan: scan)
    case .credentials:
      let parts = line.value.split(separator: " ", maxSplits: 1)
      guard parts.count == 2, ["bearer", "basic", "digest"].contains(parts[0].lowercased()) else {
        return whole(line.value, kind: .token, scan: scan)
      }
      var masked = whole(String(parts[1]), kind: .token, scan: scan)
      masked.text = "\(parts[0]) \(masked.text)"
      return masked
    }
  }

  private static func whole(_ value: String, kind: SecretKind, scan: SecretScan) -> Masked {
    let replacement = scan.replacement(for: value, kind: kind)
    return Masked(text: replacement.tag, counts: [replacement.kind: 1])
  }

  /// A URL reference: the query and fragment by the names of their items, the rest as text.
  private static func mask(reference: String, scan: SecretScan, context: MaskContext) -> Masked {
    var masked = Masked(text: "")
    func add(_ part: Masked) {
      masked.text += part.text
      masked.counts.merge(part.counts, uniquingKeysWith: +)
    }
    let cut = reference.firstIndex { $0 == "?" || $0 == "#" } ?? reference.endIndex
    add(scan.mask(String(reference[..<cut]), context: context, shapes: .all))
    var rest = reference[cut...]
    while let separator = rest.first {
      rest.removeFirst()
      let end = rest.firstIndex(of: "#") ?? rest.endIndex
      masked.text.append(separator)
      add(mask(query: String(rest[..<end]), scan: scan, context: context))
      rest = rest[end...]
    }
    return masked
  }

  /// A query: items with telling names are masked whole, the others as text.
  static func mask(query: String, scan: SecretScan, context: MaskContext) -> Masked {
    var masked = Masked(text: "")
    for (index, item) in query.split(separator: "&", omittingEmptySubsequences: false).enumerated() {
      if index > 0 { masked.text += "&" }
      let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let name = scan.mask(parts[0], context: context, shapes: .all)
      masked.text += name.text
      masked.counts.merge(name.counts, uniquingKeysWith: +)
      guard parts.count == 2 else { continue }
      // In a query `code` and `state` are those of a login whichever call it is.
      let kind = SecretKeyRules.kind(ofName: decoded(parts[0]), context: .authentication)
      let value =
        if let kind, !parts[1].isEmpty { whole(decoded(parts[1]), kind: kind, scan: scan) } else {
          scan.mask(parts[1], context: context, shapes: .all)
        }
      masked.text += "=" + value.text
      masked.counts.merge(value.counts, uniquingKeysWith: +)
    }
    return masked
  }

  /// The text with `%XX` undone once.
  private static func decoded(_ text: String) -> String {
    DecodedView(Array(text.utf8)).percentDecoded().map { String(decoding: $0.bytes, as: UTF8.self) } ?? text
  }

  /// A body, if it may be kept and is JSON; an empty one needs no note.
  private static func mask(
    body: [UInt8], isKept: Bool, scan: SecretScan, context: MaskContext
  ) -> (text: String?, note: BodyNote?, counts: [SecretKind: Int]) {
    if body.isEmpty { return (nil, nil, [:]) }
    guard isKept else { return (nil, .notKept, [:]) }
    guard body.count <= maximumBodyBytes else { return (nil, .tooLarge, [:]) }
    guard let masked = JSONRedaction.redact(body, scan: scan, context: context) else { return (nil, .unreadable, [:]) }
    return (masked.text, nil, masked.counts)
  }
}
