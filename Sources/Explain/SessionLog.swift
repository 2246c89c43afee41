/// The exchanges of a log in the order of their starts, each with its kind, and the families of their tokens.
struct SessionLog {
  /// The outcome of a refresh.
  enum Outcome: Sendable { case granted, refused, inconclusive, lost }

  private(set) var exchanges: [ExchangeFacts]
  /// The family of each exchange; nil for one without a session's token.
  private var families: [Int?] = []
  /// The origin of each token: the exchange that first returned it.
  private(set) var issued: [TokenTag: Int] = [:]
  /// The exchanges that sent a refresh token for a refresh, by its tag.
  private(set) var refreshes: [TokenTag: [Int]] = [:]
  /// Tokens that no value in the file distinguishes.
  private(set) var indistinct: Set<TokenTag> = []
  /// Whether placeholder texts replace tokens.
  private(set) var hasPlaceholders = false
  /// The tokens of apps: of services without users.
  private var appTokens: Set<TokenTag> = []
  /// The sites of each family.
  private(set) var sites: [Int: Set<Int>] = [:]
  /// The families of cookies that a backend set for a visitor, and replaced at the sign-in.
  private(set) var visitors: Set<Int> = []
  /// Whether the log shows in which order its requests were sent: not where none has a time, or all have the same.
  let hasOrder: Bool
  private var outcomes: [Int: Outcome] = [:]

  private var links = UnionFind()

  /// `cookies` are the names of the session's cookies by their numbers.
  init(_ unsorted: [ExchangeFacts], appKeys: Set<TokenTag>, cookies: [Int: String]) {
    let order = unsorted.indices.sorted { left, right in
      unsorted[left].start == unsorted[right].start ? left < right : unsorted[left].start < unsorted[right].start
    }
    exchanges = order.map { unsorted[$0] }
    let isDated = exchanges.contains(where: \.hasStart)
    hasOrder = isDated && (exchanges.count < 2 || exchanges.first?.start != exchanges.last?.start)
    appTokens = appKeys
    if !cookies.isEmpty { nameCookies(cookies) }
    replacePlaceholders()
    classify()
    link()
  }

  /// The family that an exchange's tokens belong to.
  func family(of exchange: Int) -> Int? { families[exchange] }

  /// Adds the cookies from before the response that identifies them.
  private mutating func nameCookies(_ names: [Int: String]) {
    for index in exchanges.indices {
      for cookie in exchanges[index].namelessCookies {
        guard let name = names[cookie.name] else { continue }
        exchanges[index].sent.append(Credential(tag: cookie.tag, role: .access, place: .cookie, name: name))
      }
    }
  }

  // MARK: Placeholders

  /// Gives values that are the same for all tokens one tag for each site and app, and finds them by their use.
  private mutating func replacePlaceholders() {
    var access: [TokenTag: Int] = [:]
    var same: Set<TokenTag> = []
    for (index, exchange) in exchanges.enumerated() {
      let sent = exchange.refreshToken?.tag
      let renewed = exchange.received.first { $0.role == .refresh }?.tag
      for token in exchange.received where token.role == .access && token.place == .body {
        if exchange.received.contains(where: { $0.role == .refresh && $0.tag == token.tag }) { same.insert(token.tag) }
        if let earlier = access[token.tag], earlier != index, let sent, sent == renewed { same.formUnion([token.tag, sent]) }
        access[token.tag] = access[token.tag] ?? index
      }
    }
    for index in exchanges.indices {
      let exchange = exchanges[index]
      let tag = TokenTag("placeholder \(exchange.site) \(exchange.client)")
      func replaced(_ credential: Credential) -> Credential {
        guard credential.isPlaceholder || same.contains(credential.tag) else { return credential }
        var credential = credential
        (credential.tag, credential.isPlaceholder) = (tag, true)
        return credential
      }
      guard (exchange.sent + exchange.received).contains(where: { $0.isPlaceholder || same.contains($0.tag) }) else { continue }
      hasPlaceholders = true
      indistinct.insert(tag)
      exchanges[index].sent = exchange.sent.map(replaced)
      exchanges[index].received = exchange.received.map(replaced)
    }
  }

  // MARK: Kinds

  private mutating func classify() {
    var used: Set<TokenTag> = []
    for exchange in exchanges {
      for credential in exchange.sent
      where credential.place == .authorization || credential.role == .access && credential.place != .body {
        used.insert(credential.tag)
      }
      if exchange.grant == .client, exchange.named != .signIn { appTokens.formUnion(exchange.received.map(\.tag)) }
      for credential in exchange.sent where credential.claims?.isAnonymous == true { appTokens.insert(credential.tag) }
    }
    var refreshTokens: Set<TokenTag> = []
    for index in exchanges.indices {
      let exchange = exchanges[index]
      let returnsAccess = exchange.received.contains {
        ($0.role == .access || used.contains($0.tag)) && !appTokens.contains($0.tag)
      }
      let kind = kind(of: exchange, returnsAccess, refreshTokens)
      exchanges[index].kind = kind
      if kind == .refresh, exchange.refreshToken == nil { markRefreshToken(of: index, refreshTokens) }
      guard kind == .refresh || kind == .signIn, exchange.status.map({ $0 < 400 }) ?? false else { continue }
      // A token that is returned with an access token, and is not one itself, renews it.
      for (place, token) in exchange.received.enumerated() {
        if token.role == .unknown, used.contains(token.tag) { exchanges[index].received[place].role = .access }
        let sentAlike = exchange.sent.contains { $0.name == token.name && $0.role == .refresh }
        if token.role == .unknown, kind == .refresh, sentAlike { exchanges[index].received[place].role = .refresh }
        if token.role == .refresh || token.role == .unknown && !used.contains(token.tag) && token.place == .body {
          refreshTokens.insert(token.tag)
        }
        if issued[token.tag] == nil { issued[token.tag] = index }
      }
    }
    classifyRejectedRefreshes()
    dropAppTokens()
    rejectRedirects()
  }

  /// Finds the calls of a browser that were redirected to a sign-in page with a cookie that had worked before.
  private mutating func rejectRedirects() {
    struct Use: Hashable {
      let target: Int
      let tag: TokenTag
    }
    guard exchanges.contains(where: \.leadsToSignIn) else { return }
    var worked: Set<Use> = []
    for index in exchanges.indices where exchanges[index].kind == .other {
      let exchange = exchanges[index]
      guard let tag = exchange.sessionToken?.tag, let status = exchange.status else { continue }
      let use = Use(target: exchange.target, tag: tag)
      if exchange.leadsToSignIn {
        exchanges[index].isUnauthorized = worked.contains(use)
      } else if (200..<300).contains(status) {
        worked.insert(use)
      }
    }
  }

  /// Finds the refreshes that only a successful one to the same address distinguishes from other calls.
  private mutating func classifyRejectedRefreshes() {
    let targets = Set(exchanges.lazy.filter { $0.kind == .refresh && $0.words.contains(.refresh) }.map(\.target))
    for index in exchanges.indices {
      let exchange = exchanges[index]
      guard exchange.kind == .other, exchange.words.contains(.refresh), targets.contains(exchange.target) else { continue }
      exchanges[index].kind = .refresh
      if exchanges[index].refreshToken == nil { markRefreshToken(of: index, []) }
    }
  }

  private func kind(of exchange: ExchangeFacts, _ returnsAccess: Bool, _ refreshTokens: Set<TokenTag>) -> CallKind {
    let words = exchange.words
    switch exchange.named {
    case .refresh: return .refresh
    case .signOut: return .signOut
    case .signInRequest, .other: return .other
    case .signIn:
      // Without tokens it began no session.
      let isGranted = exchange.status.map { $0 < 400 } ?? false
      return isGranted && (returnsAccess || exchange.received.contains { $0.role == .refresh }) ? .signIn : .other
    case nil: break
    }
    if exchange.grant == .client || exchange.method == "HEAD" || words.contains(.installation) { return .other }
    if exchange.grant == .refresh { return .refresh }
    if exchange.grant == nil, words.contains(.push), !returnsAccess { return .other }
    if isSignOut(exchange) { return .signOut }
    let isWrite = exchange.method != "GET"
    let isAuthentication = !words.isDisjoint(with: [.token, .authentication, .session, .signIn])
    if exchange.grant == nil, !exchange.hasUserSecret {
      let carries = exchange.sent.contains {
        ($0.place == .body || $0.place == .query || $0.place == .header) && $0.role == .refresh
      }
      if carries, isWrite { return .refresh }
      let renews = words.contains(.refresh)
      let hasSession = exchange.sent.contains { $0.place != .body && !appTokens.contains($0.tag) }
      if renews, returnsAccess || isAuthentication && (isWrite || hasSession) { return .refresh }
      let flows = exchange.sent.contains { refreshTokens.contains($0.tag) }
      if flows, isWrite, returnsAccess || words.contains(.token) { return .refresh }
    }
    guard returnsAccess, exchange.status.map({ $0 < 400 }) ?? false else { return .other }
    let isKnown = exchange.grant == .user || exchange.hasUserSecret || words.contains(.signIn)
    let returnsRefresh = exchange.received.contains { $0.role == .refresh }
    let hasSession = exchange.sent.contains { $0.role != .refresh && $0.place != .body && !appTokens.contains($0.tag) }
    return isKnown || returnsRefresh || !hasSession && isWrite && isAuthentication ? .signIn : .other
  }

  private func isSignOut(_ exchange: ExchangeFacts) -> Bool {
    let words = exchange.words
    // Other objects, such as invitations, are revoked too.
    let revokesToken =
      words.contains(.revoke)
      && (!words.isDisjoint(with: [.token, .authentication, .session]) || exchange.path.split(separator: "/").count == 1)
    if words.contains(.signOut) || revokesToken { return exchange.grant == nil }
    let hasTarget = !words.isDisjoint(with: [.session, .token, .signIn, .authentication])
    let last = CallWords(exchange.path.split(separator: "/").last ?? "")
    return exchange.method == "DELETE" && hasTarget && !last.isDisjoint(with: [.own, .session, .token, .signIn, .authentication])
  }

  /// A refresh whose token has a meaningless name: the value that an earlier response returned, or the only one in the body.
  private mutating func markRefreshToken(of index: Int, _ refreshTokens: Set<TokenTag>) {
    let sent = exchanges[index].sent
    let place =
      sent.firstIndex { refreshTokens.contains($0.tag) } ?? sent.firstIndex { $0.place == .body && $0.role != .identity }
      ?? sent.firstIndex { $0.place == .authorization } ?? sent.firstIndex { $0.place == .cookie }
    if let place {
      exchanges[index].sent[place].role = .refresh
    } else {
      let exchange = exchanges[index]
      let tag = TokenTag("no token \(exchange.site) \(exchange.client)")
      indistinct.insert(tag)
      exchanges[index].sent.append(Credential(tag: tag, role: .refresh, place: .cookie, name: "", isPlaceholder: true))
    }
  }

  /// Leaves only the tokens of users, and in other calls only those that open a session.
  private mutating func dropAppTokens() {
    // A token that no response has returned and that a sign-in request sends is the app's.
    for exchange in exchanges where exchange.kind == .signIn && exchange.status.map({ $0 < 400 }) ?? false {
      for token in exchange.sent where token.place == .authorization && issued[token.tag] == nil { appTokens.insert(token.tag) }
    }
    for index in exchanges.indices {
      let isRefresh = exchanges[index].kind == .refresh || exchanges[index].kind == .signOut
      exchanges[index].sent.removeAll { token in
        appTokens.contains(token.tag) || token.place == .body && token.role != .refresh && !isRefresh
          || token.role == .unknown && token.place != .authorization
      }
      // A cookie that renews a session is sent with every request.
      if exchanges[index].kind == .other {
        exchanges[index].sent.removeAll { $0.role == .refresh && $0.place == .cookie }
      }
      if exchanges[index].kind == .other, !exchanges[index].received.contains(where: { $0.place == .cookie }) {
        exchanges[index].received.removeAll()
      }
    }
  }

  // MARK: Families

  private mutating func link() {
    var given: Set<TokenTag> = []
    var left: Set<TokenTag> = []
    for index in exchanges.indices {
      let exchange = exchanges[index]
      if exchange.kind == .other, exchange.sent.isEmpty { given.formUnion(exchange.received.map(\.tag)) }
      let isGranted = exchange.status.map { $0 < 400 } ?? false
      switch exchange.kind {
      case .refresh where isGranted: links.join(exchange.sent.map(\.tag) + exchange.received.map(\.tag))
      case .signIn where isGranted:
        links.join(exchange.received.map(\.tag))
        let new = Set(exchange.received.map(\.tag))
        left.formUnion(exchange.sent.lazy.filter { $0.place == .cookie }.map(\.tag).filter { !new.contains($0) })
      case .signOut: links.join(exchange.sent.map(\.tag))
      default:
        // Session cookies that a response replaces.
        for old in exchange.sent where old.place == .cookie && isGranted {
          for new in exchange.received where new.place == .cookie && new.name == old.name { links.join([old.tag, new.tag]) }
        }
      }
      if exchange.kind == .refresh, !isGranted { links.join(exchange.sent.map(\.tag)) }
    }
    linkSessions()
    linkJunk()
    linkUnknown()
    visitors = Set(given.map { links.root(of: $0) }).intersection(left.map { links.root(of: $0) })
    var last: [[Int]: Int] = [:]
    families = exchanges.map { exchange -> Int? in
      let app = [exchange.site, exchange.client]
      let tag =
        (exchange.kind == .signIn ? nil : exchange.refreshToken ?? exchange.sessionToken)?.tag
        ?? (exchange.kind == .other ? nil : exchange.received.first?.tag)
      // A sign-out without a token, such as a browser's without its cookies, belongs to the app's last session.
      let family = tag.map { links.root(of: $0) } ?? (exchange.kind == .signOut ? last[app] : nil)
      if let family { last[app] = family }
      return family
    }
    for (index, family) in families.enumerated() {
      if let family { sites[family, default: []].insert(exchanges[index].site) }
    }
    for (index, exchange) in exchanges.enumerated() where exchange.kind == .refresh {
      outcomes[index] = Self.outcome(of: exchange)
      if let token = exchange.refreshToken, !indistinct.contains(token.tag), !token.isJunk {
        refreshes[token.tag, default: []].append(index)
      }
    }
  }

  /// Links placeholders of missing tokens with the app's last tokens.
  private mutating func linkJunk() {
    var last: [[Int]: TokenTag] = [:]
    for exchange in exchanges {
      let app = [exchange.site, exchange.client]
      if let junk = exchange.sent.first(where: \.isJunk), let known = last[app] { links.join([known, junk.tag]) }
      if exchange.kind != .other, let token = exchange.received.first { last[app] = token.tag }
      if let token = exchange.sessionToken, !token.isJunk { last[app] = token.tag }
    }
  }

  /// Links tokens whose claims name one session.
  private mutating func linkSessions() {
    var first: [TokenTag: TokenTag] = [:]
    for exchange in exchanges {
      for token in exchange.sent + exchange.received {
        guard let session = token.claims?.session, !token.isPlaceholder else { continue }
        if let known = first[session] { links.join([known, token.tag]) } else { first[session] = token.tag }
      }
    }
  }

  /// Links tokens from before the log: with the token of the same call's retry, and with the refresh that replaces them, if only
  /// one family of the app fits.
  private mutating func linkUnknown() {
    struct Unknown {
      let tag: TokenTag
      let app: [Int]
      var rejected: Int64?
      var last: Int64
    }
    /// The last call that was rejected, by address and app, and the token that it sent.
    var rejected: [[Int]: (tag: TokenTag, start: Int64)] = [:]
    var unknown: [Unknown] = []
    var places: [TokenTag: Int] = [:]
    for exchange in exchanges where exchange.kind == .other {
      guard let tag = exchange.sessionToken?.tag else { continue }
      let app = [exchange.site, exchange.client]
      if issued[tag] == nil {
        let place = places[tag] ?? unknown.count
        if place == unknown.count { unknown.append(Unknown(tag: tag, app: app, last: exchange.start)) }
        places[tag] = place
        unknown[place].last = exchange.start
        if exchange.isUnauthorized, unknown[place].rejected == nil { unknown[place].rejected = exchange.end }
      }
      if exchange.isUnauthorized {
        rejected[app + [exchange.target]] = (tag, exchange.start)
      } else if let before = rejected[app + [exchange.target]], before.tag != tag, issued[before.tag] == nil,
        exchange.start - before.start < 120_000, exchange.status.map({ $0 < 400 }) ?? false
      {
        links.join([before.tag, tag])
      }
    }
    var roots: [[Int]: Set<Int>] = [:]
    var refreshes: [[Int]: [(tag: TokenTag, start: Int64)]] = [:]
    for exchange in exchanges where exchange.kind == .refresh {
      guard let tag = exchange.refreshToken?.tag else { continue }
      let app = [exchange.site, exchange.client]
      roots[app, default: []].insert(links.root(of: tag))
      refreshes[app, default: []].append((tag, exchange.start))
    }
    for token in unknown where roots[token.app]?.count == 1 {
      guard let known = refreshes[token.app] else { continue }
      // The first refresh after the rejection, or after the last use.
      let time = min(token.rejected ?? .max, token.last) - 2000
      var low = 0
      var high = known.count
      while low < high {
        let middle = (low + high) / 2
        if known[middle].start < time { low = middle + 1 } else { high = middle }
      }
      if low < known.count { links.join([known[low].tag, token.tag]) }
    }
  }

  // MARK: Outcomes

  /// The outcome of a refresh.
  func outcome(of index: Int) -> Outcome { outcomes[index] ?? Self.outcome(of: exchanges[index]) }

  private static func outcome(of exchange: ExchangeFacts) -> Outcome {
    guard let status = exchange.status else { return .lost }
    let words = ErrorWords(exchange.message)
    switch status {
    case 200..<300: return exchange.isBare ? .lost : exchange.isPage || exchange.reportsFailure ? .inconclusive : .granted
    case 400, 401, 403, 410, 422:
      return exchange.isPage || words.saysBusy ? .inconclusive : .refused
    case 404: return words.saysExpired || exchange.message.contains("token") ? .refused : .inconclusive
    default: return .inconclusive
    }
  }

  /// Whether a granted refresh returned another refresh token in the place of the used one.
  func hasReplaced(_ index: Int) -> Bool {
    let exchange = exchanges[index]
    guard outcome(of: index) == .granted, let token = exchange.refreshToken else { return false }
    // The cookie of a session can be its only means of renewal.
    let renewed = exchange.received.filter {
      $0.role == .refresh || token.place == .cookie && $0.place == .cookie && $0.name == token.name
    }
    return renewed.isEmpty ? !exchange.isBodyRecorded : renewed.contains { $0.tag != token.tag }
  }

  /// Whether a refresh without a verdict can have replaced the token: the backend may have responded, and the response was lost.
  func mayHaveActed(_ index: Int) -> Bool {
    guard let status = exchanges[index].status else { return true }
    return [408, 499, 502, 504, 520, 522, 524].contains(status)
  }
}

/// Sets of tags that belong together.
private struct UnionFind {
  private var numbers: [TokenTag: Int] = [:]
  private var parents: [Int] = []

  mutating func root(of tag: TokenTag) -> Int {
    if let number = numbers[tag] { return root(of: number) }
    numbers[tag] = parents.count
    parents.append(parents.count)
    return parents.count - 1
  }

  private mutating func root(of number: Int) -> Int {
    var root = number
    while parents[root] != root { root = parents[root] }
    var next = number
    while parents[next] != root { (parents[next], next) = (root, parents[next]) }
    return root
  }

  mutating func join(_ tags: [TokenTag]) {
    guard let first = tags.first else { return }
    for tag in tags.dropFirst() {
      let left = root(of: first)
      let right = root(of: tag)
      if left != right { parents[max(left, right)] = min(left, right) }
    }
  }
}
