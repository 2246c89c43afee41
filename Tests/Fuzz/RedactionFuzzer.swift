import HTTPTypes
import Text

@testable import Observability
@testable import Redaction

/// Whatever surrounds a known secret, and in whatever form it is written, redaction removes it, and a second redaction changes
/// nothing.
enum RedactionFuzzer {
  private static let secret = "qz7Kd0wM-4xJ_9vTfB2sLrYhN"
  private static let registry: SecretRegistry = {
    let registry = SecretRegistry(tagKey: [1, 2, 3])
    registry.register(secret, kind: .token)
    return registry
  }()

  /// Uses the first byte for the form of the secret, the second for its position, and the rest for the surrounding text.
  static func run(_ bytes: [UInt8]) {
    guard bytes.count >= 2 else { return }
    let form = form(bytes[0])
    let around = bytes.dropFirst(2)
    let place = around.startIndex + min(Int(bytes[1]), around.count)
    let text = String(decoding: around[..<place], as: UTF8.self) + form + String(decoding: around[place...], as: UTF8.self)
    let redactor = Redactor(registry: registry)
    let masked = redactor.redact(text: text, context: .authentication).text
    require(!masked.contains(form), "\(text) became \(masked)")
    require(!registry.contains(secretIn: Array(registry.mask(text, context: .general).text.utf8)), "\(text) became \(masked)")
    record(Array(around), isKnown: false)
    record(Array(text.utf8), isKnown: true)
  }

  /// Redacts a request with these bytes as body, query and reference: nothing traps, and no known secret remains.
  private static func record(_ body: [UInt8], isKnown: Bool) {
    let text = String(decoding: body, as: UTF8.self)
    let request = RawRequest(
      method: .post, origin: "https://a.test", path: "/a", query: text,
      endpoint: EndpointTraits(name: "a", isAuthentication: isKnown, logsRequestBody: true, logsResponseBody: true),
      headers: [("Location", text), ("User-Agent", text)], body: body)
    let redacted = Redactor(registry: registry).redact(request)
    guard isKnown else { return }
    for shown in [redacted.message.body ?? "", redacted.query ?? ""] + redacted.message.headers.map(\.value) {
      require(!shown.contains(secret), "\(shown)")
    }
  }

  private static func form(_ choice: UInt8) -> String {
    let bytes = Array(secret.utf8)
    switch choice % 6 {
    case 0: return secret
    case 1: return Hex.encode(bytes)
    case 2: return bytes.map { "%" + Hex.encode([$0]) }.joined()
    case 3: return bytes.map { "\\u00" + Hex.encode([$0]) }.joined()
    case 4: return bytes.map { "&#\($0);" }.joined()
    default: return Base64.encode(bytes)
    }
  }
}
