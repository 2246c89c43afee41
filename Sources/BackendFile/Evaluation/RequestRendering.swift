package import HTTPTypes
import JSON
import Redaction
import Text

extension BackendDefinition {
  /// Fills a request template; every value is escaped for its place, or rejected if the place has no escape for it.
  package func render(
    _ request: RequestTemplate, with values: TemplateValues
  ) throws(RenderingError) -> RenderedRequest {
    let fill = TemplateFilling(values: values)
    let path = try fill.path(request.path)
    let query = try fill.query(request.query)
    let body: [UInt8]? =
      switch request.body {
      case .json(let template): try fill.json(template).bytes
      case .form(let pairs): Array(try fill.form(pairs).utf8)
      case nil: nil
      }
    let (headers, _) = try fields(of: request, with: values)
    return RenderedRequest(
      origin: request.origin, method: request.method, path: path, query: query, headers: headers, body: body,
      secrets: fill.secrets(of: request, and: sharedHeaders(of: request)))
  }

  /// The header fields of a request, rendered without its path and body.
  package func fields(
    of request: RequestTemplate, with values: TemplateValues
  ) throws(RenderingError) -> (fields: HTTPFields, secrets: [SecretValue]) {
    let fill = TemplateFilling(values: values)
    var headers = HTTPFields()
    if request.origin == nil { try fill.add(self.headers, to: &headers) }
    if headers[.contentType] == nil {
      switch request.body {
      case .json: headers[.contentType] = "application/json"
      case .form: headers[.contentType] = "application/x-www-form-urlencoded"
      case nil: break
      }
    }
    if request.isAuthorized, request.origin == nil { try fill.add(auth, to: &headers) }
    if let basic = request.basic { headers[.authorization] = try fill.basic(basic) }
    if !request.cookies.isEmpty { headers[.cookie] = try fill.cookies(request.cookies) }
    try fill.add(request.headers, to: &headers)
    // Some products redirect clients that do not ask for JSON to a page for people: 302 in place of 401.
    if headers[.accept] == nil { headers[.accept] = "application/json" }
    return (headers, fill.secrets(of: request, and: sharedHeaders(of: request)))
  }
}

extension BackendDefinition {
  /// The header fields of a request to the backend that the file does not describe; `isAuthorized` adds those of `auth`.
  package func sharedFields(
    isAuthorized: Bool, with values: TemplateValues
  ) throws(RenderingError) -> (fields: HTTPFields, secrets: [SecretValue]) {
    var fields = HTTPFields()
    let fill = TemplateFilling(values: values)
    try fill.add(headers, to: &fields)
    if isAuthorized { try fill.add(auth, to: &fields) }
    if fields[.accept] == nil { fields[.accept] = "application/json" }
    return (fields, fill.secrets(of: headers + (isAuthorized ? auth : [])))
  }
}

/// Fills templates with values, each escaped for its place.
private struct TemplateFilling {
  let values: TemplateValues

  /// The text of a template; `escape` returns nil for a value that the place cannot carry.
  private func text(
    _ template: Template, in place: String, escape: (String) -> String?
  ) throws(RenderingError) -> String {
    var text = ""
    for part in template.parts {
      switch part {
      case .text(let literal): text += literal
      case .value(let name): text += try escaped(values.values[name], or: .missing, name, template, place, escape)
      case .secret(let name): text += try escaped(values.secrets[name], or: .missingSecret, name, template, place, escape)
      }
    }
    return text
  }

  private func escaped(
    _ value: String?, or missing: RenderingError.Reason, _ name: String, _ template: Template, _ place: String,
    _ escape: (String) -> String?
  ) throws(RenderingError) -> String {
    guard let value else { throw RenderingError(reason: missing, name: name, place: template.place) }
    guard let text = escape(value) else { throw RenderingError(reason: .unusable(at: place), name: name, place: template.place) }
    return text
  }

  /// Whether a pair or field consists of an optional value that this call lacks.
  private func isLeftOut(_ template: Template) -> Bool {
    template.values.contains { FlowValue.optional.contains($0) && values.values[$0] == nil }
  }

  /// A segment that a value makes empty, or a dot segment, would lead elsewhere; and many servers decode `%2F` before they split
  /// the segments.
  func path(_ template: Template) throws(RenderingError) -> String {
    let words = "the path"
    let path = try text(template, in: words) { value in
      value.isEmpty || value.utf8.contains(UInt8(ascii: "/")) ? nil : PercentCoding.encode(value)
    }
    guard OriginFormPath.isAcceptable(path) else {
      throw RenderingError(reason: .unusable(at: words), name: name(in: template), place: template.place)
    }
    return path
  }

  func query(_ parts: [Template]?) throws(RenderingError) -> String? {
    guard let parts else { return nil }
    let words = "the query"
    var texts: [String] = []
    for part in parts where !isLeftOut(part) { texts.append(try text(part, in: words, escape: PercentCoding.encode)) }
    let query = texts.joined(separator: "&")
    guard OriginFormPath.isAcceptable(query: query) else {
      throw RenderingError(
        reason: .unusable(at: words), name: parts.first { !$0.isLiteral }.map(name) ?? "", place: parts.first?.place ?? .none)
    }
    return query
  }

  func add(_ fields: [RequestTemplate.Header], to headers: inout HTTPFields) throws(RenderingError) {
    for field in fields { headers[field.name] = try text(field.value, in: "a header", escape: Self.fieldValue) }
  }

  /// The user's name may contain no colon, which would end it (RFC 7617 §2).
  func basic(_ basic: RequestTemplate.Basic) throws(RenderingError) -> String {
    let words = "Basic credentials"
    let name = try text(basic.name, in: words) { $0.utf8.contains(UInt8(ascii: ":")) ? nil : Self.plain($0) }
    let password = try text(basic.password, in: words, escape: Self.plain)
    return "Basic " + Base64.encode(Array("\(name):\(password)".utf8))
  }

  /// Values are sent unchanged, because cookies have no escape (RFC 6265 §4.1.1).
  func cookies(_ cookies: [RequestTemplate.Pair]) throws(RenderingError) -> String {
    var pairs: [String] = []
    for cookie in cookies {
      let value = try text(cookie.value, in: "a cookie") { $0.utf8.contains(UInt8(ascii: ";")) ? nil : Self.fieldValue($0) }
      pairs.append("\(cookie.name)=\(value)")
    }
    return pairs.joined(separator: "; ")
  }

  func json(_ template: JSONTemplate) throws(RenderingError) -> JSONTree {
    switch template {
    case .literal(let source): return .literal(source)
    case .text(let template): return .string(try text(template, in: "JSON") { $0 })
    case .array(let elements):
      var values: [JSONTree] = []
      for element in elements { values.append(try json(element)) }
      return .array(values)
    case .object(let members):
      var values: [JSONTree.Member] = []
      for member in members {
        if case .text(let template) = member.value, isLeftOut(template) { continue }
        values.append(JSONTree.Member(member.key, try json(member.value)))
      }
      return .object(values)
    }
  }

  func form(_ pairs: [RequestTemplate.Pair]) throws(RenderingError) -> String {
    var parts: [String] = []
    for pair in pairs where !isLeftOut(pair.value) {
      parts.append("\(FormCoding.encode(pair.name))=\(FormCoding.encode(try text(pair.value, in: "a form") { $0 }))")
    }
    return parts.joined(separator: "&")
  }

  /// The values of all references that must be masked.
  func secrets(of request: RequestTemplate, and headers: [RequestTemplate.Header]) -> [SecretValue] {
    secrets(in: request.templates + headers.map(\.value))
  }

  func secrets(of headers: [RequestTemplate.Header]) -> [SecretValue] { secrets(in: headers.map(\.value)) }

  private func secrets(in templates: [Template]) -> [SecretValue] {
    var seen: Set<SecretValue> = []
    let found = templates.flatMap(\.parts).compactMap { part -> SecretValue? in
      switch part {
      case .text: return nil
      case .value(let name):
        guard let value = values.values[name], let kind = FlowValue.secretKind(name) else { return nil }
        return SecretValue(name: name, value: value, kind: kind)
      case .secret(let name): return values.secrets[name].map { SecretValue(name: name, value: $0, kind: .key) }
      }
    }
    return found.filter { seen.insert($0).inserted }
  }

  private func name(in template: Template) -> String { template.values.first ?? template.secrets.first ?? "" }

  /// Nil for a text with control characters, which could end a header.
  private static func plain(_ value: String) -> String? {
    value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } ? value : nil
  }

  /// Blanks at either end would be lost (RFC 9110 §5.5).
  private static func fieldValue(_ value: String) -> String? {
    value.utf8.first == 0x20 || value.utf8.last == 0x20 ? nil : plain(value)
  }
}

/// `application/x-www-form-urlencoded` (URL Standard §5.2).
private enum FormCoding {
  static func encode(_ text: String) -> String {
    PercentCoding.encode(text.utf8) { ASCII.isAlphanumeric($0) || "*-._ ".utf8.contains($0) }.replacing(" ", with: "+")
  }
}
