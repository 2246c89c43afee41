import BackendFile
import JSON
import Text

/// How the session's token is sent.
enum DraftAuth: Hashable {
  /// `Authorization` with a scheme.
  case scheme(String)
  case header(String)
  case cookie(String)
  /// In the body, or unknown.
  case elsewhere

  /// The usual one, which needs no line in the file.
  static let bearer = DraftAuth.scheme("Bearer")
}

/// A request of a call in a draft: the lines of its map.
struct DraftRequest {
  private var comments: [String] = []
  private var keys: [(key: String, value: String)] = []
  let exchange: DraftExchange
  /// The file's own captures, for values that the usual names do not find.
  var captures: [(name: String, source: String)] = []

  /// - Parameters:
  ///   - home: The backend's origin: requests to others have an absolute address.
  init(_ exchange: DraftExchange, of call: CallName, home: String, auth: DraftAuth, values: inout DraftValues) {
    self.exchange = exchange
    keys.append(("request", target(call, home: home, &values)))
    let headers = headers(call, auth: auth, &values)
    if !headers.isEmpty { keys.append(("headers", DraftYAML.map(headers))) }
    if let basic = basic(call, &values) { keys.append(("basic", basic)) }
    writeBody(call, &values)
    let cookies = cookies(call, &values)
    if !cookies.isEmpty { keys.append(("cookies", DraftYAML.map(cookies))) }
    let isSent = exchange.sent.contains { Self.isAuth($0, auth) && values.token($0) == "{access_token}" }
    switch call.role {
    case .signedIn: if !isSent, exchange.origin == home, auth != .elsewhere, !auth.isCookie { keys.append(("auth", "false")) }
    case .refresh: if isSent, exchange.origin == home, !auth.isCookie { keys.append(("auth", "true")) }
    case .request, .login, .open: break
    }
    if let status = exchange.status, (300..<400).contains(status) { keys.append(("success", String(status))) }
  }

  /// The lines of the call, indented by `indent`; the first begins with the name, or with the dash of a list.
  func lines(after beginning: String, indent: String) -> [String] {
    var keys = keys
    if !captures.isEmpty {
      keys.append(("capture", DraftYAML.map(captures.map { ($0.name, DraftYAML.text($0.source)) })))
    }
    let comments = comments.map { "\(indent)# \($0)" }
    if beginning.hasSuffix("-") {
      return comments + keys.enumerated().map { "\(indent)\($0.offset == 0 ? "- " : "  ")\($0.element.key): \($0.element.value)" }
    }
    if keys.count == 1 { return comments + ["\(indent)\(beginning): \(keys[0].value)"] }
    return comments + ["\(indent)\(beginning):"] + keys.map { "\(indent)  \($0.key): \($0.value)" }
  }

  // MARK: Address

  private mutating func target(_ call: CallName, home: String, _ values: inout DraftValues) -> String {
    var segments: [String] = []
    for segment in exchange.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
      let text = PercentCoding.decode(String(segment), plusIsSpace: false) ?? String(segment)
      let field = DraftField(place: .path, name: "path", value: text)
      let isKnown =
        values.captured[DraftValues.key(text)] != nil
        || values.identifiers.contains(DraftValues.key(text)) && text.utf8.count >= 3
        || !call.isSignIn && (values.token(field) != nil || values.users.contains(DraftValues.key(text)))
      // A sign-in can have a code in its path.
      let isCode = call.isSignIn && text.utf8.allSatisfy(ASCII.isDigit)
      let isPlain = text == segment && values.isPlain(text) && !isCode && text != "." && text != ".." && !text.contains(" ")
      segments.append(segment.isEmpty || isPlain && !isKnown ? text : values.template(field, in: call, row: exchange.number))
    }
    var target = "/" + segments.joined(separator: "/")
    if target.hasPrefix("//") { target = "/" }
    var pairs: [String] = []
    for (name, value) in QueryPairs.parse(exchange.query ?? "") ?? [] {
      // A name without a value can be a token.
      let isName = DraftNames.isPlainName(name) && !name.contains("[")
      guard isName, !value.isEmpty || name.utf8.count <= 20 && DraftNames.isPlain(name) else {
        comment("A part of the query was left out, because its name may be a value.")
        continue
      }
      let template = values.template(DraftField(place: .query, name: name, value: value), in: call, row: exchange.number)
      let isReference = template.hasPrefix("{") || template.hasPrefix("${")
      pairs.append(value.isEmpty ? name : "\(name)=\(isReference ? template : PercentCoding.encode(template))")
    }
    if !pairs.isEmpty { target += "?" + pairs.joined(separator: "&") }
    if exchange.origin == home { return "\(exchange.method) \(target)" }
    guard let origin = exchange.webOrigin ?? WebOrigin.read(exchange.origin.replacing("http://", with: "https://"))?.origin else {
      comment("The session sent this to another host.")
      return "\(exchange.method) \(target)"
    }
    comment("Another host: allow it with --backend-file-host \(origin.authority)")
    return "\(exchange.method) \(origin.text)\(target)"
  }

  private mutating func comment(_ text: String) { if !comments.contains(text) { comments.append(text) } }

  // MARK: Header fields

  /// Header fields that the connection, the browser or the client sets, or that are irrelevant to the call.
  private static let leftOut: Set<String> = [
    "host", "content-length", "connection", "keep-alive", "transfer-encoding", "te", "trailer", "upgrade", "expect",
    "user-agent", "origin", "referer", "cookie", "pragma", "cache-control", "dnt", "priority", "upgrade-insecure-requests",
    "traceparent", "tracestate", "baggage", "date", "range", "via", "forwarded", "proxy-authorization", "proxy-connection",
  ]

  private static func isLeftOut(_ name: String) -> Bool {
    leftOut.contains(name)
      || ["sec-", "accept", "if-", "x-forwarded-", "x-b3-", "x-datadog-", "sentry-", ":"].contains { name.hasPrefix($0) }
  }

  private mutating func headers(
    _ call: CallName, auth: DraftAuth, _ values: inout DraftValues
  ) -> [(key: String, value: String)] {
    var lines: [(key: String, value: String)] = []
    var unknown: [String] = []
    for field in exchange.sent where field.place.isHeader {
      let name = field.name.lowercased()
      guard !Self.isLeftOut(name), field.name.utf8.allSatisfy(ASCII.isToken), DraftNames.isPlainName(field.name),
        !lines.contains(where: { $0.key.lowercased() == name })
      else { continue }
      let key = DraftValues.key(field.value)
      let token = call.isSignIn ? nil : values.token(field)
      let captured = values.captured[key]
      if token == "{access_token}", Self.isAuth(field, auth), call.role == .signedIn || call.role == .refresh { continue }
      if case .scheme(let scheme) = field.place {
        let isApp = exchange.header("apikey") == field.value
        guard scheme.lowercased() != "basic", DraftNames.isPlain(scheme) else { continue }
        guard token != nil || captured != nil || isApp else {
          unknown.append(field.name)
          continue
        }
        let text = token ?? captured.map { "{\($0)}" } ?? "${\(values.secret(Self.appKey(field), row: exchange.number))}"
        lines.append((field.name, DraftYAML.quoted("\(scheme) \(text)")))
      } else if name == "content-type" {
        let type = field.value.prefix { $0 != ";" }.trimmingWhitespace
        let isUsual =
          ["application/json", "application/x-www-form-urlencoded"].contains(type.lowercased())
          || type.lowercased().hasPrefix("multipart/") || exchange.json == nil && exchange.form == nil
        if !isUsual, DraftNames.isPlain(type) { lines.append((field.name, DraftYAML.text(type))) }
      } else if token != nil || captured != nil || DraftNames.ofClient(field.word) != nil
        || DraftNames.isConstant(field.word) && values.isPlain(field.value) || Self.isKey(field.word)
      {
        lines.append((field.name, DraftYAML.text(values.template(field, in: call, row: exchange.number))))
      } else {
        unknown.append(field.name)
      }
    }
    if !unknown.isEmpty { comment("The session also sent these header fields: \(unknown.joined(separator: ", "))") }
    return lines
  }

  /// An app's key that follows a scheme; its name is that of the field that contains only the key.
  private static func appKey(_ field: DraftField) -> DraftField { DraftField(place: .header, name: "apikey", value: field.value) }

  /// Whether a field is named like a key of the app.
  private static func isKey(_ word: String) -> Bool {
    ["apikey", "clientkey", "clientid", "clientsecret", "appid", "appkey", "apitoken", "apiid", "tenant", "tenantid", "realm"]
      .contains {
        word.hasSuffix($0)
      }
  }

  private static func isAuth(_ field: DraftField, _ auth: DraftAuth) -> Bool {
    switch (field.place, auth) {
    case (.scheme(let own), .scheme(let known)): own.lowercased() == known.lowercased()
    case (.header, .header(let name)), (.cookie, .cookie(let name)): field.name.lowercased() == name.lowercased()
    default: false
    }
  }

  private func basic(_ call: CallName, _ values: inout DraftValues) -> String? {
    guard let basic = exchange.basic else { return nil }
    let fields = exchange.sent.filter { $0.place == .form || $0.place == .json }
    if call.role == .login, !fields.contains(where: { DraftNames.isPassword($0.word) || $0.word == "granttype" }) {
      return DraftYAML.quoted("{identifier}:{password}")
    }
    let texts = [("client_id", basic.name), ("client_secret", basic.password)].map { name, value in
      value.isEmpty ? "" : "${\(values.secret(DraftField(place: .basic, name: name, value: value), row: exchange.number))}"
    }
    return DraftYAML.quoted(texts.joined(separator: ":"))
  }

  private func cookies(_ call: CallName, _ values: inout DraftValues) -> [(key: String, value: String)] {
    var lines: [(key: String, value: String)] = []
    for (name, value) in exchange.cookies where DraftNames.isPlainName(name) && name.utf8.allSatisfy(ASCII.isToken) {
      let field = DraftField(place: .cookie, name: name, value: value)
      let reference = (call.isSignIn ? nil : values.token(field)) ?? values.captured[DraftValues.key(value)].map { "{\($0)}" }
      if let reference, !lines.contains(where: { $0.key == name }) { lines.append((name, DraftYAML.quoted(reference))) }
    }
    return lines
  }

  // MARK: Body

  private mutating func writeBody(_ call: CallName, _ values: inout DraftValues) {
    guard exchange.method != "GET", exchange.method != "HEAD" else { return }
    if let root = exchange.json?.root {
      keys.append(("json", json(root, "", call, &values)))
    } else if let form = exchange.form {
      if exchange.isMultipart { comment("The session sent the fields in parts, as multipart/form-data.") }
      var pairs: [(key: String, value: String)] = []
      for (name, value) in form {
        guard DraftNames.isPlainName(name), !pairs.contains(where: { $0.key == name }) else {
          comment("A field was left out: its name is used twice, or may be a value.")
          continue
        }
        let field = DraftField(place: .form, name: name, value: value)
        pairs.append((name, DraftYAML.text(value.isEmpty ? "" : values.template(field, in: call, row: exchange.number))))
      }
      keys.append(("form", DraftYAML.map(pairs)))
    } else if exchange.isOpaque {
      comment("The session sent a body that is neither JSON nor a form.")
    }
  }

  private mutating func json(_ node: JSONNode, _ name: String, _ call: CallName, _ values: inout DraftValues) -> String {
    switch node.kind {
    case .object:
      var members: [(key: String, value: String)] = []
      for member in node.members {
        guard DraftNames.isPlainName(member.key) else {
          comment("A member was left out, because its name may be a value.")
          continue
        }
        members.append((member.key, json(member.value, member.key, call, &values)))
      }
      return DraftYAML.map(members)
    case .array:
      var elements: [String] = []
      for element in node.elements.prefix(20) { elements.append(json(element, name, call, &values)) }
      return "[\(elements.joined(separator: ", "))]"
    case .bool, .null: return node.sourceText
    case .string, .number:
      let text = node.scalarText ?? ""
      let field = DraftField(place: .json, name: name, value: text)
      if node.kind == .string, text.isEmpty { return DraftYAML.quoted("") }
      if node.kind == .string, ["query", "mutation"].contains(name), text.contains("{") {
        return DraftYAML.quoted(graphQL(text, call, &values))
      }
      if node.kind == .number, ["0", "1"].contains(text), !DraftNames.isCode(field.word) { return text }
      return DraftYAML.quoted(values.template(field, in: call, row: exchange.number))
    }
  }

  /// A GraphQL document, with references in the place of the values in its text.
  private func graphQL(_ text: String, _ call: CallName, _ values: inout DraftValues) -> String {
    let pieces = text.split(separator: "\"", omittingEmptySubsequences: false)
    let names = pieces.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
    let isPlain = names.allSatisfy { piece in
      piece.split { !$0.isNumber }.allSatisfy { $0.utf8.count <= 3 } && !piece.contains("‹")
    }
    // Escapes, blocks and comments obscure the end of a text.
    let isSimple = !text.contains("\\") && !text.contains("\"\"\"") && !text.contains("#")
    guard pieces.count % 2 == 1, isPlain, isSimple else {
      return "${\(values.secret(DraftField(place: .json, name: "query", value: text), row: exchange.number))}"
    }
    var parts: [String] = []
    for (index, piece) in pieces.enumerated() {
      guard index % 2 == 1 else {
        // A name in braces alone would be a reference.
        let words = piece.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        parts.append(words.replacing("{", with: "{ ").replacing("}", with: " }"))
        continue
      }
      let name = pieces[index - 1].prefix { _ in true }.reversed().drop { $0.isWhitespace || $0 == ":" }
        .prefix { $0.isLetter || $0 == "_" }.reversed()
      let field = DraftField(place: .json, name: String(name), value: String(piece))
      parts.append(values.template(field, in: call, row: exchange.number))
    }
    return parts.joined(separator: "\"")
  }
}

extension DraftAuth {
  var isCookie: Bool { if case .cookie = self { true } else { false } }
}

extension DraftField.Place {
  /// Whether it is a field of a header other than `Cookie`.
  var isHeader: Bool {
    switch self {
    case .header, .scheme: true
    case .path, .query, .form, .basic, .cookie, .json: false
    }
  }
}
