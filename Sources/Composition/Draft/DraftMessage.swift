import BackendFile
import Explain
import JSON
import Text

/// A value that a recorded request sends, or a recorded response returns, with its place.
struct DraftField: Sendable {
  enum Place: Hashable, Sendable {
    case path, query, form, basic, cookie
    /// A member of a JSON body, or a field of a header, by its name as it is written.
    case json, header
    /// `Authorization` behind its scheme.
    case scheme(String)
  }

  let place: Place
  /// As it is written.
  let name: String
  let value: String
  /// Where a capture finds a value of a response.
  var source = ""

  /// The name's letters and digits in lower case.
  var word: String { DraftNames.word(name) }
}

/// A request of a log and its response, as a draft of a backend file reads them. It includes secrets.
struct DraftExchange: Sendable {
  let number: Int
  let kind: NamedCall.Kind
  let session: Int?
  let isGranted: Bool
  let method: String
  /// Scheme and authority, in lower case.
  let origin: String
  let path: String
  let query: String?
  private let headers: [(name: String, value: String)]
  /// The parsed body; nil if it is not JSON.
  let json: JSONDocument?
  /// The pairs of a form; nil if the body is not a form.
  let form: [(name: String, value: String)]?
  /// Whether the form was sent in parts, or the body is neither JSON nor a form.
  let isMultipart: Bool
  let isOpaque: Bool
  let status: Int?
  let responseHeaders: [(name: String, value: String)]
  let responseJSON: JSONDocument?
  private let hasResponseBody: Bool

  /// Returns nil for a method that a backend file cannot have, which could be anything in the file.
  init?(_ exchange: Exchange, _ call: SessionCall) {
    guard (1...20).contains(exchange.method.utf8.count), exchange.method.utf8.allSatisfy(ASCII.isUppercase) else { return nil }
    number = exchange.number
    kind = call.kind
    session = call.session
    isGranted = call.isGranted
    method = exchange.method
    let authority = exchange.url.firstRange(of: "://").map { exchange.url[$0.upperBound...].prefix { !"/?#".contains($0) } } ?? ""
    let scheme = exchange.url.prefix { $0 != ":" }
    let host = authority.split(separator: "@").last ?? ""
    origin = "\(scheme)://\(host)".lowercased()
    let target = exchange.url.dropFirst(scheme.count + 3 + authority.count).prefix { $0 != "#" }
    let sides = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    path = sides.first.flatMap { $0.isEmpty ? nil : String($0) } ?? "/"
    query = sides.count == 2 && !sides[1].isEmpty ? String(sides[1]) : nil
    headers = exchange.headers
    let body = exchange.body
    let first = body.first { $0 > 0x20 }
    json = first == UInt8(ascii: "{") || first == UInt8(ascii: "[") ? ToleratedJSON.read(body) : nil
    let text = first == nil || json != nil || body.count > 32 << 10 ? "" : String(decoding: body, as: UTF8.self)
    isMultipart = text.hasPrefix("--")
    form =
      isMultipart ? Self.parts(text) : Self.pairs(text, type: headers.first { $0.name.lowercased() == "content-type" }?.value)
    isOpaque = first != nil && json == nil && form == nil
    status = exchange.response?.status
    responseHeaders = exchange.response?.headers ?? []
    let answer = exchange.response?.body ?? []
    hasResponseBody = answer.contains { $0 > 0x20 }
    responseJSON = hasResponseBody ? ToleratedJSON.read(answer) : nil
  }

  /// The pairs of a form. Without its media type, a Base64 text that ends in `=` could be taken for the name of an empty field.
  private static func pairs(_ text: String, type: String?) -> [(name: String, value: String)]? {
    guard text.contains("="), let pairs = QueryPairs.parse(text)?.map({ (name: $0.0, value: $0.1) }) else { return nil }
    if let type { return type.lowercased().contains("form-urlencoded") ? pairs : nil }
    return pairs.allSatisfy { $0.name.utf8.allSatisfy { ASCII.isLowercase($0) || "_-.".utf8.contains($0) } } ? pairs : nil
  }

  /// The fields of a form in parts (RFC 7578).
  private static func parts(_ text: String) -> [(name: String, value: String)] {
    text.split(separator: "name=\"").dropFirst().compactMap { part in
      guard let gap = part.firstRange(of: "\r\n\r\n") else { return nil }
      return (String(part.prefix { $0 != "\"" }), String(part[gap.upperBound...].prefix { $0 != "\r\n" }))
    }
  }

  /// The values of a header field, by its name in lower case.
  func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name }?.value }

  /// The host with its port, as a backend file has it; nil for an address that is no `https` origin.
  var webOrigin: WebOrigin? { WebOrigin.read(origin)?.origin }

  /// The user's credentials, or those of the app, in `Authorization: Basic`.
  var basic: (name: String, password: String)? {
    guard let value = header("authorization"), value.lowercased().hasPrefix("basic "),
      let bytes = Base64.decodeLeniently(String(value.dropFirst(6)))
    else { return nil }
    let sides = String(decoding: bytes, as: UTF8.self).split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    return sides.count == 2 ? (String(sides[0]), String(sides[1])) : nil
  }

  /// The cookies that the request sends.
  var cookies: [(name: String, value: String)] {
    headers.filter { $0.name.lowercased() == "cookie" }.flatMap { $0.value.split(separator: ";") }.compactMap { pair in
      let sides = pair.split(separator: "=", maxSplits: 1)
      return sides.count == 2 ? (sides[0].trimmingWhitespace, String(sides[1])) : nil
    }
  }

  /// The values that the request sends.
  var sent: [DraftField] {
    var fields: [DraftField] = []
    for (name, value) in QueryPairs.parse(query ?? "") ?? [] {
      fields.append(DraftField(place: .query, name: name, value: value))
    }
    for (name, value) in form ?? [] { fields.append(DraftField(place: .form, name: name, value: value)) }
    if let root = json?.root {
      fields += DraftLeaf.all(root).map { DraftField(place: .json, name: $0.name, value: $0.value, source: $0.pointer) }
    }
    for (name, value) in headers {
      switch name.lowercased() {
      case "cookie": break
      case "authorization":
        let sides = value.split(separator: " ", maxSplits: 1)
        if sides.count == 2 {
          fields.append(DraftField(place: .scheme(String(sides[0])), name: name, value: String(sides[1])))
        } else {
          fields.append(DraftField(place: .header, name: name, value: value))
        }
      default: fields.append(DraftField(place: .header, name: name, value: value))
      }
    }
    if let basic {
      fields += [basic.name, basic.password].map { DraftField(place: .basic, name: "", value: $0) }
    }
    return fields + cookies.map { DraftField(place: .cookie, name: $0.name, value: $0.value) }
  }

  /// The values that the response returns, each with the source of its capture.
  var received: [DraftField] {
    var fields: [DraftField] = []
    if let root = responseJSON?.root {
      fields += DraftLeaf.all(root).map { DraftField(place: .json, name: $0.name, value: $0.value, source: $0.pointer) }
    }
    for (name, value) in responseHeaders {
      switch name.lowercased() {
      case "set-cookie":
        for line in value.split(separator: "\n") {
          let sides = line.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
          guard sides.count == 2 else { continue }
          let cookie = sides[0].trimmingWhitespace
          fields.append(
            DraftField(place: .cookie, name: cookie, value: sides[1].trimmingWhitespace, source: "cookie:\(cookie)"))
        }
      case "location":
        let query = value.drop { $0 != "?" && $0 != "#" }.dropFirst()
        for (name, value) in QueryPairs.parse(String(query.replacing("#", with: "&"))) ?? [] {
          fields.append(DraftField(place: .query, name: name, value: value, source: "location:\(name)"))
        }
      default:
        if name.lowercased().hasPrefix("x-") || name.lowercased() == "authorization" {
          fields.append(DraftField(place: .header, name: name, value: value, source: "header:\(name)"))
        }
      }
    }
    return fields
  }
}

/// A scalar of a JSON document with its pointer.
struct DraftLeaf {
  let name: String
  let value: String
  let pointer: String

  /// The most values that are read from a document.
  private static let limit = 400

  static func all(_ root: JSONNode) -> [DraftLeaf] {
    var leaves: [DraftLeaf] = []
    func visit(_ node: JSONNode, _ name: String, _ pointer: String, _ depth: Int) {
      guard leaves.count < limit, depth < 12 else { return }
      switch node.kind {
      case .object:
        for member in node.members {
          let segment = member.key.replacing("~", with: "~0").replacing("/", with: "~1")
          visit(member.value, member.key, "\(pointer)/\(segment)", depth + 1)
        }
      case .array:
        for (index, element) in node.elements.prefix(20).enumerated() { visit(element, name, "\(pointer)/\(index)", depth + 1) }
      default:
        if let value = node.scalarText { leaves.append(DraftLeaf(name: name, value: value, pointer: pointer)) }
      }
    }
    visit(root, "", "", 0)
    return leaves
  }
}
