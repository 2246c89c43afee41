import HTTPTypes

/// Reads maps of header fields.
enum HeaderReader {
  /// Fields that the connection needs as they are.
  private static let reserved: Set<String> = [
    "host", "content-length", "transfer-encoding", "connection", "keep-alive", "te", "trailer", "upgrade", "expect",
    "proxy-authorization", "proxy-connection",
  ]

  static let defaultAuth = [
    RequestTemplate.Header(
      name: .authorization, value: Template(parts: [.text("Bearer "), .value(FlowValue.accessToken.rawValue)], place: .none))
  ]

  static func headers(_ node: FileNode) throws(ReadingError) -> [RequestTemplate.Header] {
    var headers: [RequestTemplate.Header] = []
    for member in try node.members() {
      guard let name = HTTPField.Name(member.key) else { throw ReadingError(member.keyPlace, "not a name of a header field") }
      if name == .cookie { throw ReadingError(member.keyPlace, "write cookies: {NAME: VALUE} beside headers") }
      if reserved.contains(name.canonicalName) {
        throw ReadingError(member.keyPlace, "the connection sets this header field")
      }
      if headers.contains(where: { $0.name == name }) { throw ReadingError(member.keyPlace, "duplicate header field") }
      let value = try member.value.lineTemplate()
      try SecretCheck.run(value, named: member.key)
      headers.append(RequestTemplate.Header(name: name, value: value))
    }
    return headers
  }
}

/// Rejects secrets in the text of the file.
enum SecretCheck {
  static func run(_ template: Template, named name: String) throws(ReadingError) {
    if WrittenSecret.isSecret(template, named: name) { throw ReadingError(template.place, WrittenSecret.message(named: name)) }
  }
}
