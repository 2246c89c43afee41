import JSON
import Text

/// Reads the engine's data from exchanges, and keeps nothing else.
struct FactsReader {
  private var names: [String: Int] = [:]
  /// The data of earlier values.
  private var values: [TokenTag: (claims: TokenClaims?, isPlaceholder: Bool)] = [:]
  /// The claims of the tokens behind masks.
  private var maskedClaims: [TokenTag: TokenClaims] = [:]
  /// The few names, each with its many words.
  private var vocabulary = Vocabulary()
  /// Names of cookies that scripts cannot read, as session cookies usually are.
  private var sessionCookies: Set<String> = []
  /// The cookies of earlier header fields.
  private var cookieLines: [String: CookieLine] = [:]
  private static let cookieLineLimit = 1000
  private var lastStart: Int64?
  /// The keys of apps, which some clients send as a token while no user is signed in.
  private(set) var appKeys: Set<TokenTag> = []
  /// The backend's known calls.
  private let calls: [NamedCall]

  init(calls: [NamedCall]) { self.calls = calls }

  /// The maximum number of values in a message, and the largest body.
  private static let valueLimit = 400
  /// The maximum number of tokens and cookies in a request or a response.
  private static let credentialLimit = 40
  /// The maximum number of a request's cookies with meaningless names.
  private static let namelessLimit = 8
  /// The names of the session's cookies, by the numbers in requests before the first response with such a cookie.
  var sessionCookieNames: [Int: String] {
    Dictionary(sessionCookies.compactMap { name in names[name].map { ($0, name) } }, uniquingKeysWith: { first, _ in first })
  }
  /// Whether a cookie's value, or the value behind its mask, is long enough to distinguish sessions.
  private static func tellsSessionsApart(_ value: some StringProtocol) -> Bool {
    value.utf8.count >= CookieHeader.tellingLength && !value.hasPrefix("‹value:")
  }
  private static let bodyLimit = 256 << 10

  /// A small number for a text, equal for equal texts.
  private mutating func number(of text: String) -> Int {
    if let known = names[text] { return known }
    names[text] = names.count
    return names.count - 1
  }

  /// Returns nil for a request that browsers send by themselves.
  mutating func facts(of exchange: Exchange) -> ExchangeFacts? {
    maskedClaims.merge(exchange.claims) { first, _ in first }
    // Programs write the first instant of a calendar for none.
    let known = exchange.start.flatMap { $0 > 0 ? $0 : nil }
    let start = known ?? lastStart ?? 0
    lastStart = start
    guard exchange.method != "OPTIONS", exchange.method != "CONNECT" else { return nil }
    let url = Self.parts(exchange.url)
    let words = vocabulary.words(url.path)
    var agent = ""
    for header in exchange.headers where header.name.utf8.count == 10 && header.name.lowercased() == "user-agent" {
      agent = header.value
    }
    let length = exchange.duration.flatMap { (0...1e10).contains($0) ? Int64($0.rounded()) : nil } ?? 0
    var facts = ExchangeFacts(
      number: exchange.number, start: start, end: start + length, method: exchange.method,
      site: number(of: vocabulary.site(url.host)), client: number(of: "agent " + agent),
      target: number(of: exchange.method + " " + url.host + url.path), path: url.path, words: words)
    facts.hasStart = known != nil
    facts.hasDuration = exchange.duration.map { $0 >= 0 } ?? false
    facts.fault = exchange.fault
    facts.attempt = exchange.attempt
    facts.isUnsent =
      exchange.failure.map { failure in
        let failure = failure.lowercased()
        return Self.unsent.contains { failure.contains($0) }
      } ?? false
    readRequest(exchange, url.query, into: &facts)
    facts.named = exchange.call ?? calls.kind(method: exchange.method, host: url.host, path: url.path, query: url.query)
    switch facts.named {
    case .signIn, .signInRequest: facts.words.insert(.signIn)
    case .signOut: facts.words.insert(.signOut)
    // A call that uses or checks the session does not show the sign-in screen, whatever its address.
    case .refresh, .other: facts.words.remove(.signIn)
    case nil: break
    }
    if let response = exchange.response { read(response, failure: exchange.failure, of: exchange, into: &facts) }
    return facts
  }

  /// Recorders' texts for requests that did not reach a backend.
  private static let unsent = [
    "internet_disconnected", "name_not_resolved", "connection_refused", "connection refused", "offline",
    "address_unreachable", "enotfound", "econnrefused",
  ]

  // MARK: Addresses

  private static func parts(_ url: String) -> (host: String, path: String, query: Substring) {
    let slash = UInt8(ascii: "/")
    let question = UInt8(ascii: "?")
    let number = UInt8(ascii: "#")
    let bytes = url.utf8
    let rest = bytes.drop { $0 != UInt8(ascii: ":") }.dropFirst().drop { $0 == slash }
    let authority = rest.prefix { $0 != slash && $0 != question && $0 != number }
    let target = rest[authority.endIndex...].prefix { $0 != number }
    let path = target.prefix { $0 != question }
    let host = String(Substring(authority)).lowercased()
    return (host, path.isEmpty ? "/" : String(Substring(path)), Substring(target[path.endIndex...].dropFirst()))
  }

  /// The path of a redirect's target, which can be relative.
  private static func path(ofLocation location: String) -> String {
    let isAbsolute = location.utf8.first != UInt8(ascii: "/")
    return isAbsolute ? parts(location).path : String(location.prefix { $0 != "?" && $0 != "#" })
  }

  /// The part of a host's name that one owner's hosts share: the last two labels, or three below `co.uk` and the like.
  static func site(ofHost host: String) -> String {
    let name = host.hasPrefix("[") ? host[...] : host.prefix { $0 != ":" }
    let labels = name.split(separator: ".")
    guard labels.count > 2, !name.utf8.allSatisfy({ ASCII.isDigit($0) || $0 == UInt8(ascii: ".") }) else { return String(name) }
    let isShared = ["co", "com", "net", "org", "gov", "ac", "edu"].contains(labels[labels.count - 2])
    let count = isShared && (labels.last?.utf8.count ?? 0) == 2 ? 3 : 2
    return labels.suffix(count).joined(separator: ".")
  }

  // MARK: Credentials

  private mutating func credential(
    _ value: String, _ role: Credential.Role, _ place: Credential.Place, _ name: String
  ) -> Credential {
    let tag = TokenTag(value)
    let read = values[tag] ?? (claims(of: value, tag), Placeholder.isOne(value))
    values[tag] = read
    return Credential(
      tag: tag, role: role, place: place, name: name, claims: read.claims, expiresAt: read.claims?.expiresAt,
      isPlaceholder: read.isPlaceholder)
  }

  private func claims(of value: String, _ tag: TokenTag) -> TokenClaims? { TokenClaims(value) ?? maskedClaims[tag] }

  /// Whether a value is a single word of some length, regardless of its name.
  private static func isWord(_ value: String) -> Bool { value.utf8.count >= 6 && !value.utf8.contains { $0 <= 0x20 } }

  /// Whether a value can be a token.
  private static func isTokenLike(_ value: String, role: Credential.Role) -> Bool {
    let count = value.utf8.count
    // The mask of an address or an id can be as long as a token.
    if role == .unknown, value.utf8.first == 0xE2, value.hasPrefix("‹") { return value.hasPrefix("‹token:") }
    guard count >= (role == .unknown ? 20 : 6), count <= 16384, isWord(value) else { return false }
    return !value.hasPrefix("http")
      && (role != .unknown || !value.utf8.contains(UInt8(ascii: "@")) && Timestamp(parsing: value) == nil)
  }

  // MARK: Requests

  private mutating func readRequest(_ exchange: Exchange, _ query: Substring, into facts: inout ExchangeFacts) {
    var words = facts.words
    for header in exchange.headers {
      let name = header.name.lowercased()
      switch name {
      case "authorization":
        let parts = header.value.split(separator: " ", maxSplits: 1)
        let scheme = parts.count == 2 ? parts[0].lowercased() : "bearer"
        guard let value = parts.last, ["bearer", "token", "jwt", "dpop", "session"].contains(scheme) else { continue }
        let isJunk = Placeholder.isJunk(String(value))
        var sent = credential(
          isJunk ? "junk \(facts.site) \(facts.client)" : String(value), .access, .authorization, name)
        sent.isJunk = isJunk
        facts.sent.append(sent)
      case "cookie":
        let line = cookies(header.value)
        facts.sent += line.sent.prefix(max(0, Self.credentialLimit - facts.sent.count))
        facts.namelessCookies += line.nameless.prefix(max(0, Self.namelessLimit - facts.namelessCookies.count))
      case "x-amz-target":
        words.formUnion(CallWords(header.value.split(separator: ".").last ?? ""))
        if header.value.hasSuffix("InitiateAuth") || header.value.hasSuffix("RespondToAuthChallenge") { facts.grant = .user }
      case "idempotency-key": facts.hasIdempotencyKey = true
      case "apikey", "x-api-key", "x-client-key": appKeys.insert(TokenTag(header.value))
      case "dpop": facts.clientTime = claims(of: header.value, TokenTag(header.value))?.issuedAt ?? facts.clientTime
      case _ where SentTime.headerNames.contains(name):
        facts.clientTime = SentTime.milliseconds(header.value) ?? facts.clientTime
      default:
        guard facts.sent.count < Self.credentialLimit, name.hasPrefix("x-") || name.hasSuffix("token"),
          let role = vocabulary.role(vocabulary.joined(name.hasPrefix("x-") ? String(name.dropFirst(2)) : name)),
          role != .unknown,
          Self.isTokenLike(header.value, role: role)
        else { continue }
        facts.sent.append(credential(header.value, role, .header, name))
      }
    }
    if mayMatter(query) {
      for (name, value) in QueryPairs.parse(String(query)) ?? [] { readField(name, value, "", .query, &words, into: &facts) }
    }
    readBody(exchange.body, &words, into: &facts)
    facts.words = words
  }

  /// Whether a query can have a relevant field; most have none.
  private mutating func mayMatter(_ query: Substring) -> Bool {
    if query.isEmpty { return false }
    if query.utf8.contains(UInt8(ascii: "%")) { return true }
    for pair in query.utf8.split(separator: UInt8(ascii: "&")) {
      if vocabulary.mattersInQuery(String(Substring(pair.prefix { $0 != UInt8(ascii: "=") }))) { return true }
    }
    return false
  }

  /// The cookies of a header field.
  private struct CookieLine {
    /// The session's cookies.
    var sent: [Credential] = []
    /// Cookies with meaningless names, by the number of their name.
    var nameless: [(name: Int, tag: TokenTag)] = []
  }

  /// The cookies of a header field; most requests of an app send the same.
  private mutating func cookies(_ text: String) -> CookieLine {
    if let known = cookieLines[text] { return known }
    var line = CookieLine()
    for pair in text.utf8.split(separator: UInt8(ascii: ";")) {
      let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1).map(Substring.init)
      guard parts.count == 2 else {
        if text.hasPrefix("‹") { line.sent.append(credential(text, .access, .cookie, "cookie")) }
        continue
      }
      guard Self.tellsSessionsApart(parts[1]) else { continue }
      let joined = vocabulary.joined(parts[0].trimmingWhitespace)
      guard let role = vocabulary.role(ofCookie: joined) ?? (sessionCookies.contains(joined) ? .access : nil) else {
        if line.nameless.count < Self.namelessLimit, !NameWords.isOtherCookie(joined), !Placeholder.isOne(String(parts[1])) {
          line.nameless.append((number(of: joined), TokenTag(String(parts[1]))))
        }
        continue
      }
      line.sent.append(credential(String(parts[1]), role, .cookie, joined))
    }
    if cookieLines.count >= Self.cookieLineLimit { cookieLines.removeAll() }
    cookieLines[text] = line
    return line
  }

  private mutating func readBody(
    _ body: [UInt8], _ words: inout CallWords, into facts: inout ExchangeFacts
  ) {
    guard let first = body.first(where: { $0 > 0x20 }), body.count <= Self.bodyLimit else { return }
    if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
      guard let document = ToleratedJSON.read(body) else { return }
      for leaf in leaves(of: document.root) {
        guard let value = leaf.node.string else {
          if let number = leaf.node.double {
            readTime(leaf.name, leaf.parent, Timestamp(sinceEpoch: number)?.milliseconds, into: &facts)
          }
          continue
        }
        if leaf.name == "query" || leaf.name == "mutation" { readOperation(value, &words, into: &facts) }
        if leaf.name == "operationname" || leaf.name == "op" { words.formUnion(CallWords(value)) }
        if leaf.name == "method", leaf.parent.isEmpty { words.formUnion(CallWords(value)) }
        readField(leaf.key, value, leaf.parent, .body, &words, into: &facts)
      }
    } else if body.count <= 32 << 10, body.contains(UInt8(ascii: "=")) {
      let text = String(decoding: body, as: UTF8.self)
      if text.hasPrefix("--") {
        for part in text.split(separator: "name=\"").dropFirst() {
          let name = part.prefix { $0 != "\"" }
          guard let gap = part.firstRange(of: "\r\n\r\n") else { continue }
          let value = part[gap.upperBound...].prefix { $0 != "\r\n" }
          readField(String(name), String(value), "", .body, &words, into: &facts)
        }
      } else {
        for (name, value) in QueryPairs.parse(text) ?? [] { readField(name, value, "", .body, &words, into: &facts) }
      }
    }
  }

  /// A GraphQL document: the names in it, and the values in its text.
  private mutating func readOperation(_ text: String, _ words: inout CallWords, into facts: inout ExchangeFacts) {
    let text = text.prefix(4000)
    guard let brace = text.firstIndex(of: "{") else { return }
    let isMutation = text.drop { $0.isWhitespace }.hasPrefix("mutation")
    guard isMutation || text.contains("efresh") else { return }
    words.formUnion(CallWords(text[..<brace].prefix { $0 != "(" }))
    // An operation without a name has that of its first field.
    let field = text[brace...].dropFirst().drop { $0.isWhitespace }.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    words.formUnion(CallWords(field))
    let pieces = text.split(separator: "\"", omittingEmptySubsequences: false)
    for (name, value) in zip(pieces, pieces.dropFirst()).enumerated().filter({ $0.offset % 2 == 0 }).map(\.element) {
      guard let colon = name.lastIndex(of: ":") else { continue }
      let key = String(name[..<colon].reversed().drop { $0.isWhitespace }.prefix { $0.isLetter || $0 == "_" }.reversed())
      readField(key, String(value), "", .body, &words, into: &facts)
    }
  }

  /// A value that the app sends with a name.
  private mutating func readField(
    _ key: String, _ value: String, _ parent: String, _ place: Credential.Place,
    _ words: inout CallWords, into facts: inout ExchangeFacts
  ) {
    let name = vocabulary.joined(key)
    switch name {
    case "granttype", "authflow":
      let grant = NameWords.joined(value)
      facts.grant = grant.contains("refresh") ? .refresh : grant.hasPrefix("clientcredentials") ? .client : .user
    case "password", "passwd", "passcode", "otp", "code", "pin", "assertion", "samlresponse", "verificationcode", "logincode":
      if !value.isEmpty, place == .body { facts.hasUserSecret = true }
    case "clientassertion": facts.clientTime = claims(of: value, TokenTag(value))?.issuedAt ?? facts.clientTime
    default: break
    }
    if place == .body, value.utf8.count <= 64 {
      readTime(name, parent, Timestamp(parsing: value)?.milliseconds, into: &facts)
      if let event = Self.event(value) {
        facts.reportsEnd = facts.reportsEnd || event == .end
        facts.reportsSignInScreen = facts.reportsSignInScreen || event == .signInScreen
      }
    }
    if facts.sent.count < Self.credentialLimit, place == .body, value.utf8.count < 24, Placeholder.isJunk(value),
      vocabulary.role(name, in: parent) == .refresh
    {
      var sent = credential("junk \(facts.site) \(facts.client)", .refresh, place, name)
      sent.isJunk = true
      facts.sent.append(sent)
      return
    }
    guard facts.sent.count < Self.credentialLimit, Self.isWord(value), let role = vocabulary.role(name, in: parent),
      place != .query || role != .unknown, Self.isTokenLike(value, role: role)
    else { return }
    facts.sent.append(credential(value, role, place, name))
  }

  private static let ends = [
    "sessionended", "sessionexpired", "sessionlost", "sessionterminated", "loggedout", "signedout", "forcelogout", "forcedlogout",
    "authlost", "userloggedout", "autologout", "kickedout",
  ]
  /// Only whole names: longer ones can belong to a question about signing out.
  private static let wholeEnds = ["logout", "signout", "userlogout"]
  private static let signInScreens = [
    "screenlogin", "screenwelcome", "screensignin", "screenlanding", "viewlogin", "pagelogin", "loginscreen",
  ]

  private enum Event { case end, signInScreen }

  /// The meaning of an app's analytics event for its session.
  private static func event(_ value: String) -> Event? {
    guard value.utf8.count >= 6, value.utf8.count <= 32, !value.utf8.contains(UInt8(ascii: " ")) else { return nil }
    guard let last = value.utf8.last, "tdnegTDNEG".utf8.contains(last) else { return nil }
    let joined = NameWords.joined(value)
    if wholeEnds.contains(joined) || ends.contains(where: { joined.hasSuffix($0) }) { return .end }
    return signInScreens.contains(joined) ? .signInScreen : nil
  }

  private func readTime(_ name: String, _ parent: String, _ time: Int64?, into facts: inout ExchangeFacts) {
    guard let time, facts.clientTime == nil,
      ["ts", "sentat", "clienttime", "devicetime", "clientts", "requesttime"].contains(name)
        // In a list, these are times of its elements.
        || parent.isEmpty && ["timestamp", "time", "now", "eventtime"].contains(name)
    else { return }
    facts.clientTime = time
  }

  // MARK: Responses

  private mutating func read(
    _ response: Exchange.Response, failure: String?, of exchange: Exchange, into facts: inout ExchangeFacts
  ) {
    var type: BodyFormat?
    var wait = ""
    var age = false
    for header in response.headers {
      let name = header.name.lowercased()
      switch name {
      case "content-type": type = vocabulary.mediaType(header.value)
      case "age": age = header.value != "0"
      case "date": facts.serverTime = HTTPDate.parse(header.value).map { $0 * 1000 }
      case "retry-after": wait = header.value.trimmingWhitespace
      case "location" where (301...308).contains(response.status):
        let own: CallWords = [.signIn, .signOut, .authentication]
        facts.leadsToSignIn =
          facts.words.isDisjoint(with: own) && vocabulary.words(Self.path(ofLocation: header.value)).contains(.signIn)
      case "www-authenticate":
        facts.message += header.value.lowercased().prefix(300) + " "
        if facts.code == nil, let found = header.value.firstRange(of: "error=\"") {
          facts.code = String(header.value[found.upperBound...].prefix { $0 != "\"" }.prefix(64))
        }
      case "set-cookie": for line in header.value.split(separator: "\n") { readCookie(line, into: &facts) }
      default:
        guard facts.received.count < Self.credentialLimit, name.hasPrefix("x-"),
          let role = vocabulary.role(vocabulary.joined(String(name.dropFirst(2)))), role != .unknown,
          Self.isTokenLike(header.value, role: role)
        else { continue }
        facts.received.append(credential(header.value, role, .header, name))
      }
    }
    if !wait.isEmpty {
      let until = HTTPDate.parse(wait).flatMap { date in facts.serverTime.map { Double(date * 1000 - $0) / 1000 } }
      facts.retryAfter = (Double(wait) ?? until).flatMap { (0...1e7).contains($0) ? $0 : nil }
    }
    if response.isCached || age || response.status == 304 { facts.serverTime = nil }
    let first = response.body.first { $0 > 0x20 }
    let isJSON = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    // A proxy that got no complete response sends its own page, or the recorder notes the failure.
    if failure != nil, !isJSON || response.body.isEmpty { return }
    facts.isPage = first == UInt8(ascii: "<") || first != nil && !isJSON && type?.isHTML ?? false
    facts.isFile = type?.isFile ?? false
    if first != nil, !isJSON, ProxyPage.isOne(response.body) { return }
    facts.status = response.status
    facts.sentStatus = response.status
    facts.isBodyRecorded = response.isBodyRecorded
    facts.isBare = response.headers.isEmpty && first == nil
    defer { facts.isUnauthorized = isUnauthorized(facts) }
    guard isJSON, response.body.count <= Self.bodyLimit else { return }
    let isPlain = response.status < 400 && exchange.method == "GET"
    guard !isPlain || Self.mentionsToken(response.body), let document = ToleratedJSON.read(response.body) else { return }
    if response.status < 400 {
      readTokens(document.root, into: &facts)
      readGraphQLError(document.root, into: &facts)
      if facts.received.isEmpty, facts.status == response.status { readFailure(document.root, into: &facts) }
    } else {
      readError(document.root, into: &facts)
    }
  }

  /// Whether a response rejects the token: some backends use another status than 401 and explain it in the body.
  private mutating func isUnauthorized(_ facts: ExchangeFacts) -> Bool {
    switch facts.status {
    case 401, 419, 440, 498: return true
    case 400 where !facts.message.isEmpty, 403 where !facts.message.isEmpty: return vocabulary.rejectsToken(facts.message)
    default: return false
    }
  }

  /// Parts of the names of tokens, each with another first two bytes.
  private static let marks = ["oken", "OKEN", "ession", "jwt", "Jwt", "JWT"].map { Array($0.utf8) }

  private static func mentionsToken(_ body: [UInt8]) -> Bool {
    body.withUnsafeBufferPointer { bytes in
      var index = 0
      while index + 5 < bytes.count {
        switch (bytes[index], bytes[index + 1]) {
        case (UInt8(ascii: "o"), UInt8(ascii: "k")), (UInt8(ascii: "O"), UInt8(ascii: "K")),
          (UInt8(ascii: "e"), UInt8(ascii: "s")),
          (UInt8(ascii: "j"), UInt8(ascii: "w")), (UInt8(ascii: "J"), UInt8(ascii: "w")), (UInt8(ascii: "J"), UInt8(ascii: "W")):
          if marks.contains(where: { mark in zip(bytes[index...], mark).allSatisfy(==) }) { return true }
        default: break
        }
        index += 1
      }
      return false
    }
  }

  private mutating func readCookie(_ line: Substring, into facts: inout ExchangeFacts) {
    let parts = line.split(separator: ";")
    guard let pair = parts.first?.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false), pair.count == 2 else {
      return
    }
    let name = vocabulary.joined(String(pair[0]))
    let attributes = parts.dropFirst().map { $0.trimmingWhitespace.lowercased() }
    let isHidden = attributes.contains("httponly")
    guard let role = vocabulary.role(ofCookie: name) ?? (isHidden && !name.contains("csrf") ? .access : nil) else { return }
    let value = pair[1].trimmingWhitespace
    if value.isEmpty || value == "deleted" || attributes.contains("max-age=0")
      || attributes.contains(where: { $0.contains(" 1970 ") || $0.contains("-1970 ") })
    {
      facts.clearsSession = true
      return
    }
    guard Self.tellsSessionsApart(value), facts.received.count < Self.credentialLimit else { return }
    if isHidden, sessionCookies.insert(name).inserted { cookieLines.removeAll() }
    var credential = credential(value, role, .cookie, name)
    if let age = attributes.lazy.compactMap({ $0.hasPrefix("max-age=") ? Int64($0.dropFirst(8)) : nil }).first,
      (1...1 << 32).contains(age)
    {
      credential.expiresAt = credential.expiresAt ?? facts.end + age * 1000
    }
    facts.received.append(credential)
  }

  private mutating func readTokens(_ root: JSONNode, into facts: inout ExchangeFacts) {
    var accessLife: Int64?
    var refreshLife: Int64?
    for leaf in leaves(of: root) {
      if let value = leaf.node.string {
        guard facts.received.count < Self.credentialLimit, Self.isWord(value),
          let role = vocabulary.role(leaf.name, in: leaf.parent),
          Self.isTokenLike(value, role: role)
        else { continue }
        facts.received.append(credential(value, role, .body, leaf.name))
      } else if let number = leaf.node.double, number > 0, number < 1e11 {
        let isMilliseconds = leaf.name.hasSuffix("ms") || leaf.name.contains("millis")
        let span = Int64(isMilliseconds ? number : min(number, 1e10) * 1000)
        let isRefresh = leaf.name.contains("refresh") || leaf.parent.contains("refresh")
        let isLength =
          leaf.name.contains("expiresin") || leaf.name.contains("ttl") || leaf.name.contains("lifetime")
          || leaf.name.contains("maxage")
        if isLength { if isRefresh { refreshLife = span } else { accessLife = accessLife ?? span } }
      }
    }
    for index in facts.received.indices where facts.received[index].expiresAt == nil {
      let life = facts.received[index].role == .refresh ? refreshLife : facts.received[index].role == .access ? accessLife : nil
      facts.received[index].expiresAt = life.map { facts.end + $0 }
    }
  }

  /// An error that GraphQL reports with 200.
  private mutating func readGraphQLError(_ root: JSONNode, into facts: inout ExchangeFacts) {
    guard let error = root["errors"]?.elements.first, error.kind == .object else { return }
    readError(error, into: &facts)
    let code = error["extensions"]?["code"]?.string
    facts.code = code.map { String($0.prefix(64)) } ?? facts.code
    if let code { facts.message += " " + code.lowercased() }
    let words = facts.message
    if words.contains("unauthenticated") || words.contains("unauthorized") || words.contains("token") { facts.status = 401 }
  }

  /// An error in the body of a response whose status does not show it.
  private mutating func readFailure(_ root: JSONNode, into facts: inout ExchangeFacts) {
    let code = root["code"] ?? root["errorCode"] ?? root["errcode"]
    let number = code?.int64 ?? code?.string.flatMap { Int64($0) }
    let isFailure =
      number.map { $0 >= 400 } ?? false || ["success", "ok"].contains { root[$0]?.bool == false }
      || ["error", "fail", "failed", "failure"].contains(root["status"]?.string?.lowercased())
      || root["error"].map { $0.kind == .object || $0.string?.isEmpty == false } ?? false
    guard isFailure else { return }
    let isRefresh = facts.grant == .refresh || facts.words.contains(.refresh)
    let before = facts.message
    let message = facts.code
    facts.message = ""
    readError(root, into: &facts)
    let isOfToken = isRefresh || number.map { String($0).hasPrefix("401") } ?? false || ErrorWords(facts.message).saysExpired
    if isOfToken, vocabulary.rejectsToken(facts.message) {
      facts.status = 401
    } else {
      (facts.message, facts.code, facts.reportsFailure) = (before, message, true)
    }
  }

  private mutating func readError(_ root: JSONNode, into facts: inout ExchangeFacts) {
    var texts: [String] = []
    for leaf in leaves(of: root, limit: 40) {
      guard let text = leaf.node.string, text.utf8.count <= 300 else { continue }
      texts.append(text)
      let isCode = ["code", "errorcode", "error", "errcode", "type", "id", "reason", "status"].contains(leaf.name)
      guard isCode, facts.code == nil || leaf.name.hasSuffix("code"), text.utf8.allSatisfy({ $0 > 0x20 }), text.utf8.count <= 64
      else { continue }
      facts.code = text.split(separator: "#").last.map(String.init)
    }
    facts.message += texts.joined(separator: " ").lowercased().prefix(600)
  }

  // MARK: JSON

  private struct Leaf {
    /// As written.
    let key: String
    /// In lower case, without separators.
    let name: String
    let parent: String
    let node: JSONNode
  }

  /// The values of a document with their names; GraphQL's `data` and `variables` are no parents.
  private mutating func leaves(of root: JSONNode, limit: Int = valueLimit) -> [Leaf] {
    var leaves: [Leaf] = []
    func visit(_ node: JSONNode, _ key: String, _ parent: String, _ depth: Int) {
      guard leaves.count < limit, depth < 12 else { return }
      switch node.kind {
      case .object:
        let own = vocabulary.joined(key)
        for member in node.members { visit(member.value, member.key, own, depth + 1) }
      case .array: for element in node.elements.prefix(50) { visit(element, key, parent, depth + 1) }
      default: leaves.append(Leaf(key: key, name: vocabulary.joined(key), parent: parent, node: node))
      }
    }
    visit(root, "", "", 0)
    return leaves
  }
}
