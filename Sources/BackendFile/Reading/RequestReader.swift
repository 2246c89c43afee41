import HTTPTypes
import Text

/// Reads the requests of a call.
enum RequestReader {
  private enum Key: String, CaseIterable {
    case request, headers, json, form, basic, cookies, auth, success, capture, errors
  }

  /// The most requests of a call.
  private static let maximumRequests = 10

  /// Reads `METHOD /path`, a map, or a list of them.
  static func requests(_ node: FileNode, of call: CallName) throws(ReadingError) -> [RequestTemplate] {
    guard let elements = node.elements else { return [try request(node, of: call)] }
    if elements.isEmpty { throw node.error("write at least one request") }
    if elements.count > maximumRequests { throw node.error("write at most \(maximumRequests) requests") }
    var requests: [RequestTemplate] = []
    for element in elements { requests.append(try request(element, of: call)) }
    return requests
  }

  private static func request(_ node: FileNode, of call: CallName) throws(ReadingError) -> RequestTemplate {
    if node.isNull { throw node.error("write METHOD /path") }
    let members = node.isMap ? try node.members(Key.self) : [.request: node]
    guard let requestNode = members[.request] else { throw node.error("request: write METHOD /path") }
    let line = try RequestLineTemplate(requestNode)
    let body = try body(members[.json], members[.form])
    if body != nil, line.method == .get || line.method == .head {
      throw (members[.json] ?? members[.form] ?? node).error("\(line.method.rawValue) has no body: use another method")
    }
    let isAuthorized = try members[.auth].map { node throws(ReadingError) in try node.flag() }
    return RequestTemplate(
      place: requestNode.place, method: line.method, origin: line.origin, path: line.path, query: line.query,
      headers: try members[.headers].map(HeaderReader.headers) ?? [], body: body, basic: try members[.basic].map(basic),
      cookies: try members[.cookies].map(cookies) ?? [], isAuthorized: isAuthorized ?? (call.role == .signedIn),
      success: try members[.success].map(status), captures: try members[.capture].map(captures) ?? [],
      errors: try members[.errors].map(ErrorRuleReader.rules) ?? [])
  }

  private static func body(_ json: FileNode?, _ form: FileNode?) throws(ReadingError) -> RequestTemplate.Body? {
    if json != nil, let form { throw form.error("a request has one body: json or form") }
    if let json {
      return .json(try json.jsonTemplate())
    }
    guard let form else { return nil }
    var pairs: [RequestTemplate.Pair] = []
    for member in try form.members() {
      try member.checkKey()
      let value = try member.value.template()
      try SecretCheck.run(value, named: member.key)
      pairs.append(RequestTemplate.Pair(name: member.key, value: value))
    }
    return .form(pairs)
  }

  private static func basic(_ node: FileNode) throws(ReadingError) -> RequestTemplate.Basic {
    let template = try node.lineTemplate()
    guard let (name, password) = template.split(at: ":") else {
      throw node.error("write NAME:${SECRET} or {identifier}:{password}")
    }
    if WrittenSecret.isSecret(name, named: "") || password.isLiteral && !password.literalText.isEmpty {
      throw node.error(WrittenSecret.message(named: "basic_password"))
    }
    return RequestTemplate.Basic(name: name, password: password)
  }

  private static func cookies(_ node: FileNode) throws(ReadingError) -> [RequestTemplate.Pair] {
    var pairs: [RequestTemplate.Pair] = []
    for member in try node.members() {
      guard !member.key.isEmpty, member.key.utf8.allSatisfy(ASCII.isToken) else {
        throw ReadingError(member.keyPlace, "not a name of a cookie")
      }
      let value = try member.value.lineTemplate()
      guard !value.literalText.utf8.contains(UInt8(ascii: ";")) else {
        throw member.value.error("a cookie's value has no semicolon")
      }
      try SecretCheck.run(value, named: member.key)
      pairs.append(RequestTemplate.Pair(name: member.key, value: value))
    }
    return pairs
  }

  private static func status(_ node: FileNode) throws(ReadingError) -> Int {
    guard let status = node.integer, (200...599).contains(status) else { throw node.error("write one status, such as 204") }
    return status
  }

  private static func captures(_ node: FileNode) throws(ReadingError) -> [Capture] {
    var captures: [Capture] = []
    for member in try node.members() {
      let isName = member.key.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_\-]{0,63}/) != nil
      guard isName else { throw ReadingError(member.keyPlace, "write a name of letters, digits and underscores") }
      if let known = FlowValue(rawValue: member.key), known != .accessToken, known != .refreshToken {
        throw ReadingError(member.keyPlace, "the client fills {\(member.key)} in: choose another name")
      }
      captures.append(Capture(name: member.key, source: try source(member.value), place: member.keyPlace))
    }
    return captures
  }

  private static func source(_ node: FileNode) throws(ReadingError) -> Capture.Source {
    let text = try node.text()
    let usage = "write /pointer, header:NAME, cookie:NAME or location:PARAM"
    if text.hasPrefix("/") {
      guard let pointer = ValuePointer(text) else { throw node.error("not a JSON pointer: write ~0 for ~ and ~1 for /") }
      return .pointer(pointer)
    }
    let sides = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map { String($0.trimmingBlanks) }
    guard sides.count == 2, !sides[1].isEmpty else { throw node.error(usage) }
    switch sides[0] {
    case "header":
      guard let name = HTTPField.Name(sides[1]) else { throw node.error("\(sides[1]) is not a name of a header field") }
      return .header(name)
    case "cookie": return .cookie(sides[1])
    case "location": return .location(sides[1])
    default: throw node.error(usage + NearestWord.hint(sides[0], among: ["header", "cookie", "location"]))
    }
  }
}

/// `METHOD /path?query`, or with an absolute https URL.
private struct RequestLineTemplate {
  private static let methods: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options]

  let method: HTTPRequest.Method
  let origin: WebOrigin?
  let path: Template
  let query: [Template]?

  init(_ node: FileNode) throws(ReadingError) {
    let text = try node.text()
    let words = text.split(separator: " ", maxSplits: 1)
    guard words.count == 2, let method = HTTPRequest.Method(String(words[0])), Self.methods.contains(method) else {
      let hint = words.first.map { NearestWord.hint(String($0), among: Self.methods.map(\.rawValue)) } ?? ""
      throw node.error("write METHOD /path, such as POST /login" + hint)
    }
    self.method = method
    var target = String(words[1].trimmingBlanks)
    if target.hasPrefix("/") {
      origin = nil
    } else {
      guard let (origin, rest) = WebOrigin.read(target) else {
        throw node.error("write a path that begins with /, or an https URL with a host name")
      }
      self.origin = origin
      target = rest.hasPrefix("/") ? rest : "/" + rest
    }
    let template = Template(target, at: node.place)
    let (path, query) = template.split(at: "?") ?? (template, nil as Template?)
    // The file's text is sent unchanged.
    guard OriginFormPath.isAcceptable(Self.sample(path)) else {
      throw node.error("not a path: it begins with one / and has no blanks, no #, no \\ and no segments . or ..")
    }
    if let query, !OriginFormPath.isAcceptable(query: Self.sample(query)) {
      throw node.error("not a query: write blanks and other characters as %20 and so on")
    }
    let parts = query?.components(separatedBy: "&")
    for part in parts ?? [] {
      guard let (name, value) = part.split(at: "="), name.isLiteral, WrittenSecret.isSecret(value, named: name.literalText) else {
        continue
      }
      throw node.error("\(name.literalText): \(WrittenSecret.message(named: name.literalText))")
    }
    if WrittenSecret.isSecret(template, named: "") { throw node.error(WrittenSecret.message(named: "path_secret")) }
    self.path = path
    self.query = parts
  }

  /// The template with a letter for each reference.
  private static func sample(_ template: Template) -> String {
    template.parts.map { if case .text(let text) = $0 { text } else { "x" } }.joined()
  }
}
