import Text

/// The words of the names that APIs give to calls and fields.
enum NameWords {
  /// The words of `refreshToken`, `refresh_token` or `REFRESH-TOKEN`, in lower case.
  static func of(_ name: some StringProtocol) -> [String] {
    var words: [String] = []
    var word: [UInt8] = []
    func end() {
      if !word.isEmpty { words.append(String(decoding: word, as: UTF8.self)) }
      word.removeAll(keepingCapacity: true)
    }
    var wasLower = false
    for byte in name.utf8 {
      guard ASCII.isAlphanumeric(byte) else {
        end()
        wasLower = false
        continue
      }
      if ASCII.isUppercase(byte), wasLower { end() }
      wasLower = ASCII.isLowercase(byte)
      word.append(ASCII.lowercased(byte))
    }
    end()
    return words
  }

  /// Letters and digits in lower case.
  static func joined(_ name: some StringProtocol) -> String {
    String(decoding: name.utf8.lazy.filter(ASCII.isAlphanumeric).map(ASCII.lowercased), as: UTF8.self)
  }

  /// Names of values that belong to the app, the device or one request.
  private static let others = [
    "csrf", "xsrf", "push", "fcm", "apns", "devicetoken", "registration", "clientid", "clientsecret", "appid", "nonce",
    "verifier",
    "challenge", "state", "idempotency", "requestid", "traceid", "correlation", "pagetoken", "nexttoken", "synctoken", "cursor",
    "captcha", "installation", "analytics", "expire", "expiry", "ttl", "lifetime", "tokentype", "scope", "deviceid", "apikey",
  ]

  /// The role of a value by its name and the name of the object that has it; nil for a value that is not a user's token.
  static func role(_ joined: String, in parent: String = "") -> Credential.Role? {
    if others.contains(where: { joined.contains($0) }) { return nil }
    if isRefresh(joined) { return .refresh }
    if joined.hasPrefix("idtoken") || joined == "identitytoken" { return .identity }
    if joined == "rt" { return .refresh }
    if ["token", "jwt", "value", "key"].contains(joined) {
      if others.contains(where: { parent.contains($0) }) { return nil }
      if isRefresh(parent) { return .refresh }
      return joined == "token" || joined == "jwt" || parent.contains("access") ? .access : .unknown
    }
    if joined == "refresh" || joined == "access" { return joined == "refresh" ? .refresh : .access }
    return isAccess(joined) ? .access : .unknown
  }

  private static func isRefresh(_ name: String) -> Bool {
    name.hasPrefix("refresh") || name.hasPrefix("renew") || name.hasSuffix("refreshtoken") || name.hasSuffix("renewaltoken")
      || name.hasSuffix("refreshjwt") || name.hasSuffix("refresh") && name.utf8.count <= 24
  }

  private static func isAccess(_ name: String) -> Bool {
    [
      "accesstoken", "authtoken", "sessiontoken", "sessionid", "bearertoken", "usertoken", "jwttoken", "accessjwt", "authjwt",
      "sid",
      "authorization", "sessionkey", "apitoken", "securitytoken",
    ].contains { name == $0 || name.hasSuffix($0) && name.utf8.count <= 40 }
  }

  private static let sessionCookies = [
    "sess", "auth", "token", "jwt", "remember", "refresh", "access", "identity", "login", "jsessionid", "phpsessid", "connectsid",
  ]

  private static let otherCookies = [
    "csrf", "xsrf", "consent", "locale", "theme", "ajs", "optimizely", "intercom", "analytics", "cfbm",
  ]

  /// Whether a cookie does not belong to a session.
  static func isOtherCookie(_ joined: String) -> Bool {
    otherCookies.contains { joined.contains($0) } || joined.hasPrefix("ga") || joined.hasPrefix("amp")
  }

  /// The role of a cookie; nil for one that is not a user's session.
  static func role(ofCookie joined: String) -> Credential.Role? {
    if isOtherCookie(joined) { return nil }
    if joined.contains("refresh") || joined.contains("renew") { return .refresh }
    return joined == "sid" || joined.hasSuffix("sid") || sessionCookies.contains { joined.contains($0) } ? .access : nil
  }
}

/// A request's purpose by the names in its address, body and headers.
struct CallWords: OptionSet, Sendable {
  let rawValue: UInt16
  static let refresh = CallWords(rawValue: 1)
  static let token = CallWords(rawValue: 2)
  static let signIn = CallWords(rawValue: 4)
  static let signOut = CallWords(rawValue: 8)
  static let authentication = CallWords(rawValue: 16)
  static let session = CallWords(rawValue: 32)
  /// The last segment names the caller's own session.
  static let own = CallWords(rawValue: 64)
  static let password = CallWords(rawValue: 128)
  static let all = CallWords(rawValue: 256)
  static let revoke = CallWords(rawValue: 512)
  /// It concerns the tokens with which a device receives push messages.
  static let push = CallWords(rawValue: 1024)
  /// It concerns the tokens of an app's installation, as Firebase issues them.
  static let installation = CallWords(rawValue: 2048)

  private static let table: [String: CallWords] = [
    "refresh": .refresh, "renew": .refresh, "renewal": .refresh, "rotate": .refresh, "reissue": .refresh,
    "refreshtoken": [.refresh, .token], "refreshtokens": [.refresh, .token], "refreshsession": [.refresh, .session],
    "token": .token, "tokens": .token, "jwt": .token,
    "login": .signIn, "signin": .signIn, "logon": .signIn, "prelogin": .signIn, "authenticate": .signIn, "otp": .signIn,
    "authorize": .signIn, "welcome": .signIn, "signup": .signIn,
    "logout": .signOut, "signout": .signOut, "logoff": .signOut, "endsession": .signOut, "revoke": .revoke,
    "revocation": .revoke, "push": .push, "fcm": .push, "apns": .push, "notifications": .push,
    "installations": .installation,
    "auth": .authentication, "oauth": .authentication, "oauth2": .authentication, "oidc": .authentication,
    "openid": .authentication,
    "connect": .authentication, "identity": .authentication, "idp": .authentication, "sso": .authentication,
    "session": .session, "sessions": .session, "current": .own, "me": .own, "self": .own, "mine": .own,
    "password": .password, "everywhere": .all, "all": .all, "global": .all, "others": .all,
  ]

  init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Creates the words from the segments of a path, or from the name of an operation.
  init(_ name: some StringProtocol) {
    var words: CallWords = []
    var last = ""
    for word in NameWords.of(name) {
      words.formUnion(Self.table[word] ?? [])
      switch (last, word) {
      case ("sign", "out"), ("log", "out"), ("log", "off"), ("end", "session"): words.insert(.signOut)
      case ("auto", "logout"), ("auto", "signout"): words.remove(.signOut)
      case ("sign", "in"), ("log", "in"), ("auth", "methods"), ("login", "options"): words.insert(.signIn)
      case ("extend", "session"), ("exchange", "refresh"): words.insert(.refresh)
      default: break
      }
      last = word
    }
    self = words
  }
}

/// The kind of a body by its media type.
struct BodyFormat {
  let isHTML: Bool
  /// Whether it is an image, a script or a similar file.
  let isFile: Bool

  init(_ text: String) {
    let type = text.lowercased()
    isHTML = type.contains("html")
    isFile = ["image/", "font/", "text/css"].contains { type.hasPrefix($0) } || type.contains("javascript")
  }
}

/// The names of a log that were read before, with their meanings.
struct Vocabulary {
  private struct Place: Hashable {
    let name: String
    let parent: String
  }

  private var joined: [String: String] = [:]
  private var roles: [Place: Credential.Role?] = [:]
  private var cookies: [String: Credential.Role?] = [:]
  private var words: [String: CallWords] = [:]
  private var sites: [String: String] = [:]
  private var mediaTypes: [String: BodyFormat] = [:]
  private var queryNames: [String: Bool] = [:]
  private var rejections: [String: Bool] = [:]

  /// The maximum number of remembered names; files can have a new one in every request.
  private static let limit = 20_000

  private static func remember<Key, Value>(_ value: Value, for key: Key, in table: inout [Key: Value]) -> Value {
    if table.count < limit { table[key] = value }
    return value
  }

  mutating func joined(_ name: String) -> String {
    joined[name] ?? Self.remember(NameWords.joined(name), for: name, in: &joined)
  }

  mutating func role(_ name: String, in parent: String = "") -> Credential.Role? {
    let place = Place(name: name, parent: parent)
    return roles[place] ?? Self.remember(NameWords.role(name, in: parent), for: place, in: &roles)
  }

  mutating func role(ofCookie name: String) -> Credential.Role? {
    cookies[name] ?? Self.remember(NameWords.role(ofCookie: name), for: name, in: &cookies)
  }

  mutating func words(_ path: String) -> CallWords {
    words[path] ?? Self.remember(CallWords(path), for: path, in: &words)
  }

  /// Tokens that are not of a session.
  private static let otherTokens =
    ["csrf", "xsrf", "captcha"]
    + ["device", "push", "page"].flatMap { kind in ["", " ", "_", "-"].map { kind + $0 + "token" } }

  /// Whether the text of an error reports an invalid token.
  mutating func rejectsToken(_ message: String) -> Bool {
    if let known = rejections[message] { return known }
    if Self.otherTokens.contains(where: { message.contains($0) }) { return Self.remember(false, for: message, in: &rejections) }
    let words = ErrorWords(message)
    let isOfToken = message.contains("token") || message.contains("session") || message.contains("jwt")
    let isRejected = words.saysTime || isOfToken && (words.saysExpired || words.saysEndedElsewhere || message.contains("invalid"))
    return Self.remember(isRejected, for: message, in: &rejections)
  }

  /// Whether a field of this name is relevant in a query.
  mutating func mattersInQuery(_ name: String) -> Bool {
    if let known = queryNames[name] { return known }
    let joined = NameWords.joined(name)
    let role = NameWords.role(joined)
    let matters = ["granttype", "authflow", "clientassertion"].contains(joined) || role != nil && role != .unknown
    return Self.remember(matters, for: name, in: &queryNames)
  }

  mutating func mediaType(_ text: String) -> BodyFormat {
    mediaTypes[text] ?? Self.remember(BodyFormat(text), for: text, in: &mediaTypes)
  }

  mutating func site(_ host: String) -> String {
    sites[host] ?? Self.remember(FactsReader.site(ofHost: host), for: host, in: &sites)
  }
}
