import JSON
import Text

/// Redacts the client's view of an attempt; the only way into the log.
///
/// Rules by header, name and shape apply in addition to the registered secrets. Parts that cannot be parsed are omitted.
package struct Redactor: Sendable {
  /// The largest body to process, in bytes; a larger one is not stored.
  package static let maximumBodyBytes = 12 << 20
  /// The most bytes of an error text to store.
  static let maximumErrorBytes = 2000

  /// Returns the known secrets.
  private struct Source: Sendable {
    let scan: @Sendable () -> SecretScan
  }

  private var registry: Source

  /// Creates a redactor that uses the current secrets of `registry` at each call.
  package init(registry: SecretRegistry) { self.registry = Source { registry.scan() } }

  /// A redactor with the secrets known now, regardless of later changes of the registry.
  package func frozen() -> Redactor {
    let scan = registry.scan()
    var frozen = self
    frozen.registry = Source { scan }
    return frozen
  }

  /// The fingerprint of a request together with the secrets known now.
  package func fingerprint(of request: RawRequest) -> Int { request.fingerprint(generation: registry.scan().generation) }

  /// Redacts a request's path, query, headers and body.
  package func redact(_ request: RawRequest) -> (path: String, query: String?, message: RedactedMessage, redactions: [Redaction])
  {
    let scan = registry.scan()
    let context = request.endpoint.context(ofRequestTo: request.path)
    let path = PathRedaction(scan: scan, context: context).redact(request.path)
    let query = request.query.map { QueryRedaction(scan: scan, context: context).redact($0) }
    let headers = Self.mask(headers: request.headers, scan: scan, context: context)
    let body = Self.mask(
      body: request.body, isKept: request.endpoint.logsRequestBody, hidesValues: false, scan: scan, context: context)
    let redactions =
      Redaction.list(path.counts.merging(query?.counts ?? [:], uniquingKeysWith: +), in: .url)
      + Redaction.list(headers.counts, in: .requestHeaders) + Redaction.list(body.counts, in: .requestBody)
    var message = RedactedMessage(headers: headers.lines, body: body.text, bodyNote: body.note)
    if !redactions.isEmpty {
      let target = [(Array((request.path + "?" + (request.query ?? "")).utf8), path.text + (query?.text ?? ""))]
      message.tokens = Self.tokens(of: message, headers: request.headers, body: request.body, target: target, scan: scan)
    }
    return (path.text, query?.text, message, redactions)
  }

  /// Redacts a response's headers and body.
  package func redact(_ response: RawResponse, to endpoint: EndpointTraits) -> (message: RedactedMessage, redactions: [Redaction])
  {
    let scan = registry.scan()
    let headers = Self.mask(headers: response.headers, scan: scan, context: endpoint.context)
    let body = Self.mask(
      body: response.body, parsed: response.document, isKept: endpoint.logsResponseBody,
      hidesValues: endpoint.masksResponseValues, scan: scan,
      context: endpoint.context)
    var message = RedactedMessage(headers: headers.lines, body: body.text, bodyNote: body.note)
    let redactions = Redaction.list(headers.counts, in: .responseHeaders) + Redaction.list(body.counts, in: .responseBody)
    if !redactions.isEmpty {
      message.tokens = Self.tokens(of: message, headers: response.headers, body: response.body, scan: scan)
    }
    return (message, redactions)
  }

  /// Returns the tokens of a message as it was sent that are masked in the redacted one.
  private static func tokens(
    of message: RedactedMessage, headers: [(name: String, value: String)], body: [UInt8],
    target: [(sent: [UInt8], redacted: String)] = [], scan: SecretScan
  ) -> [MaskedToken] {
    var texts = target
    for (sent, redacted) in zip(headers, message.headers) where sent.value != redacted.value {
      texts.append((Array(sent.value.utf8), redacted.value))
    }
    if let redacted = message.body { texts.append((body, redacted)) }
    return MaskedToken.list(in: texts, scan: scan)
  }

  /// Masks the texts in the tokens of an imported file.
  package func redact(_ tokens: [MaskedToken]) -> [MaskedToken] {
    let scan = registry.scan()
    return tokens.prefix(MaskedToken.countLimit).filter { !$0.mask.isEmpty }.map { $0.masked(by: scan) }
  }

  /// Redacts any other text, such as an error.
  package func redact(text: String, context: MaskContext) -> MaskedText {
    // Mask before truncating, because half a secret would not be found.
    var masked = registry.scan().mask(text, context: context, shapes: .all)
    if masked.text.utf8.count > Self.maximumErrorBytes {
      masked.text = String(decoding: masked.text.utf8.prefix(Self.maximumErrorBytes), as: UTF8.self) + "…"
    }
    return masked
  }

  /// Redacts a path as that of a login call, so that codes in it are masked too.
  package func redact(path: String) -> String {
    PathRedaction(scan: registry.scan(), context: .authentication).redact(path).text
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

  private static func mask(header line: (name: String, value: String), scan: SecretScan, context: MaskContext) -> MaskedText {
    guard !line.value.isEmpty else { return MaskedText(text: "") }
    let query = QueryRedaction(scan: scan, context: context)
    let name = line.name.lowercased()
    if scan.rules.keys.isMasked(name.utf8) { return query.whole(line.value, kind: .value) }
    switch HeaderRules.treatment(of: name) {
    case .shown:
      switch name {
      case "location": return query.redact(reference: line.value)
      case "user-agent", "server", "via": return ProductRedaction(scan: scan, context: context).redact(line.value)
      default: return scan.mask(line.value, context: context, shapes: .all)
      }
    case .challenge: return ChallengeRedaction(scan: scan, context: context).redact(line.value)
    case .validator:
      return scan.mask(line.value, context: context, shapes: HeaderRules.shapes(ofValidator: line.value))
    case .cookies: return CookieRedaction(scan: scan, context: context).redact(line.value, isSet: name == "set-cookie")
    case .clock where SentTime.milliseconds(line.value) != nil:
      return scan.mask(line.value, context: context, shapes: .all)
    case .clock where scan.rules.hidesOtherHeaders: return query.whole(line.value, kind: .header)
    case .clock: return scan.mask(line.value, context: context, shapes: .all)
    case .masked(.header) where !scan.rules.hidesOtherHeaders:
      return scan.mask(line.value, context: context, shapes: .all)
    case .masked(let kind): return query.whole(line.value, kind: kind)
    case .credentials:
      let parts = line.value.split(separator: " ", maxSplits: 1)
      guard parts.count == 2, credentialSchemes.contains(parts[0].lowercased()) else {
        return query.whole(line.value, kind: .token)
      }
      var masked = query.whole(String(parts[1]), kind: .token)
      masked.text = "\(parts[0]) \(masked.text)"
      return masked
    }
  }

  /// The schemes that precede a token.
  private static let credentialSchemes: Set<String> = ["bearer", "basic", "digest", "dpop", "jwt", "session", "token"]

  /// Redacts a body if it may be stored and can be parsed; an empty one needs no note. Decompresses it if necessary.
  private static func mask(
    body: [UInt8], parsed: JSONDocument? = nil, isKept: Bool, hidesValues: Bool, scan: SecretScan, context: MaskContext
  ) -> (text: String?, note: BodyNote?, counts: [SecretKind: Int]) {
    if body.isEmpty { return (nil, nil, [:]) }
    guard isKept else { return (nil, .notKept, [:]) }
    guard body.count <= maximumBodyBytes else { return (nil, .tooLarge, [:]) }
    let redaction = BodyRedaction(scan: scan, context: context, hidesValues: hidesValues)
    if let masked = redaction.redact(body, parsed: parsed) { return (masked.text, nil, masked.counts) }
    switch InflatedBody.inflate(body, upTo: maximumBodyBytes) {
    case .bytes(let bytes):
      guard let masked = redaction.redact(bytes) else { return (nil, .unreadable, [:]) }
      return (masked.text, nil, masked.counts)
    case .tooLarge: return (nil, .tooLarge, [:])
    case .notCompressed: return (nil, .unreadable, [:])
    }
  }
}

/// Decides which header values are shown; of all others only the name is kept.
enum HeaderRules {
  private static let shown: Set<String> = [
    "accept", "accept-encoding", "accept-language", "accept-ranges", "age", "allow", "cache-control", "connection",
    "content-encoding",
    "content-language", "content-length", "content-range", "content-type", "date", "etag", "expires", "host", "if-match",
    "if-modified-since", "if-none-match", "if-unmodified-since", "keep-alive", "last-modified", "location", "pragma", "range",
    "retry-after", "server", "strict-transport-security", "te", "trailer", "transfer-encoding", "upgrade", "user-agent", "vary",
    "via",
    "x-content-type-options", "x-nonce", "x-replay-left-out", "x-request-id",
  ]
  private static let shownPrefixes = ["ratelimit", "x-ratelimit-"]

  /// How a header's value is treated.
  enum Treatment: Equatable {
    /// Shown, except for known secrets and values that look like secrets.
    case shown
    /// Shown likewise, but hexadecimal digests are kept, although they are as long and random as a token.
    case validator
    /// Masked entirely, as this kind.
    case masked(SecretKind)
    /// Shown by its parts (``ChallengeRedaction``).
    case challenge
    /// Shown if it is a time; masked entirely otherwise.
    case clock
    /// Masked except for names and attributes, as in `sid=‹key:…›; HttpOnly`.
    case cookies
    /// Masked except for the scheme, as in `Bearer ‹token:…›`.
    case credentials
  }

  /// The treatment of the header with this lower-case name.
  static func treatment(of name: String) -> Treatment {
    switch name {
    case "authorization", "proxy-authorization": .credentials
    case "www-authenticate", "proxy-authenticate": .challenge
    case "x-signature": .masked(.signature)
    case "x-api-id", "x-api-key", "idempotency-key", "x-device-key": .masked(.key)
    case "x-device-id": .masked(.identifier)
    case "cookie", "set-cookie": .cookies
    case "etag", "if-none-match", "if-match": .validator
    case let name where shown.contains(name) || shownPrefixes.contains { name.hasPrefix($0) }: .shown
    case let name where SentTime.headerNames.contains(name): .clock
    default: .masked(.header)
    }
  }

  /// The shapes to search for in a validator (RFC 9110 §8.8.3), which may contain digests and numbers that resemble secrets.
  static func shapes(ofValidator value: String) -> SecretShapes {
    let words = value.utf8.split { !ASCII.isAlphanumeric($0) }.filter { $0.count >= 32 }
    let holdsDigests = !words.isEmpty && words.allSatisfy { $0.allSatisfy(ASCII.isHexadecimal) }
    let shapes: SecretShapes = [.email, .phone, .webToken, .assignment, .bearer, .basic, .userinfo]
    return holdsDigests ? shapes : shapes.union([.longToken, .base64])
  }
}
