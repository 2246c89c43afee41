import Glibc
import HTTPTypes
import JSON
import Testing
import Text
import Vault

@testable import Observability
@testable import Redaction
import Support

/// Random secrets of each kind, in each part of an attempt and in each encoding: none may leave the log.
@Suite(.timeLimit(.minutes(1)))
struct RedactionCanaryTests {
  /// A value that no shape matches, except for email addresses and links.
  private static func secret(_ kind: SecretKind) -> String {
    let letters = Array("abcdefghkmnpqrstuvwxyz")
    func word(_ count: Int) -> String { String((0..<count).map { _ in letters[.random(in: letters.indices)] }) }
    return switch kind {
    case .token: Base64URL.encode(SecureRandom.bytes(24))
    case .code: SecureRandom.digits(6)
    case .link: "https://app.test/callback#token=\(word(12))&state=\(word(8))"
    case .email: "\(word(6)).\(word(4))+tag@\(word(6)).test"
    case .phone: "+49170" + SecureRandom.digits(7)
    case .identifier: "\(word(8))/ü \"\(word(4))"
    case .signature: Hex.encode(SecureRandom.bytes(16))
    case .card: "4111-" + SecureRandom.digits(8)
    case .key, .header, .value: word(10)
    }
  }

  /// The encodings of a text.
  private static let encodings: [(name: String, write: @Sendable (String) -> String)] = [
    ("raw", { $0 }),
    ("upper case percent", { percent($0, all: false) }),
    ("every byte percent", { percent($0, all: true).lowercased() }),
    ("double percent", { percent(percent($0, all: false), all: false) }),
    ("JSON", { quoted($0) }),
    ("JSON units", { $0.utf16.map { "\\u" + Hex.encode([UInt8($0 >> 8), UInt8($0 & 255)]) }.joined() }),
    ("JSON of percent", { quoted(percent($0, all: false)) }),
    ("base 64", { Base64.encode(Array($0.utf8)) }),
    ("base 64 after one", { Base64.encode(Array("u\($0):rest".utf8)) }),
    ("base 64 after two", { Base64.encode(Array("u:\($0):rest".utf8)) }),
    ("base64url after two", { Base64URL.encode(Array("u:\($0)!".utf8)) }),
    ("percent of base 64", { percent(Base64.encode(Array($0.utf8)), all: false) }),
    ("base 64 of percent", { Base64.encode(Array(percent($0, all: false).utf8)) }),
    ("hexadecimal", { Hex.encode(Array($0.utf8)) }),
    ("upper case hexadecimal", { Hex.encode(Array($0.utf8)).uppercased() }),
    ("another case in base 64", { Base64.encode(Array("u\(isPersonal($0) ? $0.uppercased() : $0):rest".utf8)) }),
    ("broken by an escaped line", { broken($0, by: "\\r\\n") }),
    ("broken by a line in percent", { broken($0, by: "%0A") }),
    ("wrapped base 64", { broken(Base64.encode(Array($0.utf8)), by: "%0D%0A") }),
    ("references", { $0.utf16.count == $0.utf8.count ? $0.utf8.map { "&#\($0);" }.joined() : $0 }),
    ("named references", { $0.replacing("&", with: "&amp;").replacing("\"", with: "&quot;").replacing("@", with: "&#x40;") }),
  ]

  private static func isPersonal(_ text: String) -> Bool { text.contains("@") && !text.contains("://") }

  /// A text in two halves.
  private static func broken(_ text: String, by lineBreak: String) -> String {
    let half = text.index(text.startIndex, offsetBy: text.count / 2)
    return text[..<half] + lineBreak + text[half...]
  }

  private static func percent(_ text: String, all: Bool) -> String {
    text.utf8.map { !all && ASCII.isAlphanumeric($0) ? String(Unicode.Scalar($0)) : "%" + Hex.encode([$0]).uppercased() }
      .joined()
  }

  /// The text with JSON escapes, without quotes.
  private static func quoted(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("/", with: "\\/")
  }

  /// The parts of an attempt that can contain a text.
  private static let carriers: [(name: String, carry: @Sendable (String) -> RawExchange)] = [
    ("path", { exchange(.example(path: "/a/\(percent($0, all: false))/b")) }),
    ("path as it is", { exchange(.example(path: "/a/\($0)/b")) }),
    ("query", { exchange(.example(query: "x=1&y=\($0)&z")) }),
    ("query name", { exchange(.example(query: "\($0)")) }),
    (
      "nested query",
      { exchange(.example(query: "redirect=" + percent("https://a.test/?x=" + percent($0, all: false), all: false))) }
    ),
    ("shown header", { exchange(.example(headers: [("User-Agent", "a \($0) b")])) }),
    ("hidden header", { exchange(.example(headers: [("X-Anything", $0)])) }),
    ("authorization", { exchange(.example(headers: [("authorization", "Bearer \($0)"), ("Authorization", $0)])) }),
    ("header name", { exchange(.example(headers: [($0, "1")])) }),
    ("location", { exchange(.example(), headers: [("location", "https://a.test/b?c=\($0)#d=\($0)")]) }),
    ("cookie", { exchange(.example(), headers: [("Set-Cookie", "a=\($0)"), ("set-cookie", $0)]) }),
    ("etag", { exchange(.example(), headers: [("ETag", "\"\($0)\"")]) }),
    ("request body", { exchange(.example(body: #"{"a":[{"b":"x \#(inJSON($0)) y"}]}"#)) }),
    ("request key", { exchange(.example(body: #"{"\#(inJSON($0))":1}"#)) }),
    ("response body", { exchange(.example(), body: #"{"a":[1.50,"\#(inJSON($0))"]}"#) }),
    ("JSON in JSON", { exchange(.example(), body: #"{"a":\#(literal(#"{"b":"\#(inJSON($0))"}"#))}"#) }),
    ("form", { exchange(.example(body: "b=1&a=\(percent($0, all: false))"), body: "\(percent($0, all: true))=x&y=") }),
    ("lines", { exchange(.example(body: "{}\n[\"\(inJSON($0))\"]\n"), body: "[1]\r\n{\"\(inJSON($0))\":1}") }),
    ("event stream", { exchange(.example(), body: "event: \($0)\ndata: [\"\(inJSON($0))\"]\n\n") }),
    ("multipart", { exchange(.example(body: multipart("name=\"a\"", $0) + multipart("name=\"\($0)\"", "x") + "--b--\r\n")) }),
    ("file", { exchange(.example(body: multipart("name=\"a\"; filename=\"b\"", $0) + "--b--\r\n")) }),
    ("body that is no JSON", { exchange(.example(body: "a \($0)"), body: "<p>\($0)</p>") }),
    ("body cut short", { exchange(.example(), body: #"{"a":"\#(inJSON($0))"#) }),
    (
      "body that may not be kept", { exchange(.example(body: "\"\(inJSON($0))\"", logsBodies: false), body: "\"\(inJSON($0))\"") }
    ),
    ("error", { exchange(.example(), error: "refused: \($0)", detail: "while reading <\($0)>, closed") }),
  ]

  private static func multipart(_ name: String, _ content: String) -> String {
    "--b\r\nContent-Disposition: form-data; \(name)\r\n\r\n\(content)\r\n"
  }

  /// A text inside a JSON string, whose backslashes are JSON escapes.
  private static func inJSON(_ text: String) -> String {
    text.contains("\\") ? text : text.replacing("\"", with: "\\\"")
  }

  private static func literal(_ text: String) -> String { String(decoding: JSONStringText.quoted(text), as: UTF8.self) }

  private static func exchange(
    _ request: RawRequest, headers: [(name: String, value: String)] = [], body: String = "", error: String? = nil,
    detail: String? = nil
  ) -> RawExchange {
    RawExchange(
      request: request, response: RawResponse(status: 200, headers: headers, body: Array(body.utf8)), state: .failure,
      error: error,
      errorDetail: detail)
  }

  /// Whether a text reveals a secret, checked without any of the code under test.
  private static func leaks(_ secret: String, in text: String) -> Bool {
    var views = [Array(text.utf8)]
    while views.count < 4, views[views.count - 1].contains(UInt8(ascii: "%")) { views.append(unpercent(views[views.count - 1])) }
    views += views.filter { $0.contains(UInt8(ascii: "&")) }.map(unreference)
    views += views.filter { $0.contains(UInt8(ascii: "\\")) }.flatMap { [unslash($0), unslash(unslash($0))] }
    views += views.filter { $0.contains(UInt8(ascii: "\\")) || $0.contains(0x0a) }.map(unbreak)
    let bytes = Array(secret.utf8)
    var needles = [
      secret, Hex.encode(bytes), Hex.encode(bytes).uppercased(),
      secret.utf16.map { "\\u" + Hex.encode([UInt8($0 >> 8), UInt8($0 & 255)]) }.joined(),
    ]
    for form in [bytes, Array(percent(secret, all: false).utf8)] {
      for before in 0..<3 {
        let text = Base64URL.encode([UInt8](repeating: 0, count: before) + form)
        let core = String(text.dropFirst(before == 0 ? 0 : before + 1).dropLast(2))
        needles += [core, core.replacing("-", with: "+").replacing("_", with: "/")]
      }
    }
    return views.contains { view in
      let view = view.map(CChar.init(bitPattern:)) + [0]
      return needles.contains { strstr(view, $0) != nil }
    }
  }

  /// The text with HTML references decoded, in the forms that the encodings above produce.
  private static func unreference(_ bytes: [UInt8]) -> [UInt8] {
    var text = String(decoding: bytes, as: UTF8.self)
    for code in UInt8(0x20)..<0x7f { text = text.replacing("&#\(code);", with: String(Unicode.Scalar(code))) }
    for (name, character) in [("&#x40;", "@"), ("&quot;", "\""), ("&amp;", "&")] { text = text.replacing(name, with: character) }
    return Array(text.utf8)
  }

  /// The text without line breaks, including escaped ones.
  private static func unbreak(_ bytes: [UInt8]) -> [UInt8] {
    var text = String(decoding: bytes.filter { $0 != 0x0a && $0 != 0x0d }, as: UTF8.self)
    while text.contains("\\\\") { text = text.replacing("\\\\", with: "\\") }
    return Array(text.replacing("\\r", with: "").replacing("\\n", with: "").utf8)
  }

  private static func unpercent(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.contains(UInt8(ascii: "%")) else { return bytes }
    var output: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
        let byte = UInt8(String(decoding: bytes[(index + 1)...(index + 2)], as: UTF8.self), radix: 16)
      {
        output.append(byte)
        index += 2
      } else {
        output.append(bytes[index])
      }
      index += 1
    }
    return output
  }

  /// The text with every backslash removed that escapes the next character.
  private static func unslash(_ bytes: [UInt8]) -> [UInt8] {
    var output: [UInt8] = []
    var isEscaped = false
    for byte in bytes {
      isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
      if !isEscaped || byte != UInt8(ascii: "\\") { output.append(byte) }
    }
    return output
  }

  @Test(arguments: SecretKind.allCases)
  func noSecretLeavesTheLog(kind: SecretKind) throws {
    // Kinds that are matched alike share the combinations.
    let distance = Rounds.stride([.token, .code, .email].contains(kind) ? 3 : 9)
    var combination = Int.random(in: 0..<distance)
    for carrier in Self.carriers {
      for encoding in Self.encodings {
        combination += 1
        guard combination.isMultiple(of: distance) else { continue }
        let secret = Self.secret(kind)
        let registry = SecretRegistry(tagKey: SecureRandom.bytes(32))
        registry.register(secret, kind: kind)
        let exchange = carrier.carry(encoding.write(secret))
        let channels = try RecordedAttempt(exchange, registry: registry).channels.joined(separator: "\n")
        if Self.leaks(secret, in: channels) || registry.contains(secretIn: Array(channels.utf8)) {
          Issue.record("\(carrier.name), \(encoding.name), \(secret): \(channels)")
        }
      }
    }
  }

  /// The same without a registered secret: the check above does find an unmasked key, and so does the registry's own check.
  @Test func theLookFindsWhatIsNotMasked() throws {
    let hiding: Set = [
      "hidden header", "authorization", "cookie", "body that is no JSON", "body cut short", "body that may not be kept", "file",
    ]
    let distance = Rounds.stride(3)
    var combination = 0
    for carrier in Self.carriers {
      // In a path, Base64 of a text around it is masked by its form.
      for encoding in Self.encodings where !carrier.name.hasPrefix("path") || !encoding.name.contains("base 64") {
        combination += 1
        guard combination.isMultiple(of: distance) else { continue }
        let secret = Self.secret(.header)
        let knowing = SecretRegistry(tagKey: [])
        knowing.register(secret, kind: .header)
        let attempt = try RecordedAttempt(carrier.carry(encoding.write(secret)), registry: SecretRegistry(tagKey: []))
        let channels = attempt.channels.joined(separator: "\n")
        let isHidden = hiding.contains(carrier.name)
        if Self.leaks(secret, in: channels) == isHidden || knowing.contains(secretIn: Array(channels.utf8)) == isHidden {
          Issue.record("\(carrier.name), \(encoding.name), \(secret): \(channels)")
        }
      }
    }
  }
}
