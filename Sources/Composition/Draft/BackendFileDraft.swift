import BackendFile
import Explain
import HTTPTypes
import JSON
import Text

/// A backend file derived from a recorded session: its sign-in, refresh, account and sign-out, with references in the place of
/// values.
struct BackendFileDraft {
  /// A call with its requests in order.
  private struct DraftCall {
    let name: CallName
    var requests: [DraftRequest]
    /// Why it is a guess.
    var comment: String?
  }

  /// A sign-in with the requests before it.
  private struct SignIn {
    let name: CallName
    /// The requests that the client sends before the user types the code or gets the link.
    let before: [DraftExchange]
    /// The requests of the sign-in itself; the last one returns the tokens.
    let steps: [DraftExchange]
    var end: DraftExchange? { steps.last }
  }

  private let exchanges: [DraftExchange]
  private var values = DraftValues()
  private var signIns: [SignIn] = []
  /// The backend's origin.
  private var home = ""
  private var auth = DraftAuth.bearer
  /// The sources of captures, by the row that has them.
  private var ownCaptures: [Int: [(name: String, source: String)]] = [:]
  /// Which field of a sign-in's response has each token.
  private var accessField: DraftField?
  private var refreshField: DraftField?

  /// The draft of a session; nil if it has no successful sign-in. The exchanges are in the order of their starts.
  init?(_ exchanges: [DraftExchange]) {
    self.exchanges = exchanges
    for end in exchanges where end.kind == .signIn && end.isGranted {
      let signIn = signIn(endingWith: end)
      if signIns.count < 3, !signIns.contains(where: { $0.name == signIn.name }) { signIns.append(signIn) }
    }
    guard let first = signIns.first?.end else { return nil }
    findTokens(first)
    findAuth(first)
  }

  private func index(_ exchange: DraftExchange) -> Int { exchanges.firstIndex { $0.number == exchange.number } ?? 0 }

  // MARK: Sign-in

  /// The most requests before a sign-in.
  private static let stepLimit = 4
  /// The most requests between a value and the request that sends it.
  private static let distance = 60

  private mutating func signIn(endingWith end: DraftExchange) -> SignIn {
    var steps = [end]
    var open = [end]
    while let step = open.popLast() {
      let place = index(step)
      let earlier = exchanges[max(0, place - Self.distance)..<place].reversed()
      for field in step.sent where isFlow(field) {
        let key = DraftValues.key(field.value)
        guard values.captured[key] == nil || steps.count < Self.stepLimit else { continue }
        for other in earlier where other.kind != .signIn && other.kind != .refresh {
          guard let found = other.received.first(where: { DraftValues.key($0.value) == key }), isPlain(found.source) else {
            continue
          }
          let isKnown = steps.contains { $0.number == other.number }
          guard isKnown || steps.count < Self.stepLimit else { break }
          if values.captured[key] == nil {
            let name = "login_" + DraftNames.capitals(DraftNames.isPlainName(found.name) ? found.name : "value").lowercased()
            let isTaken = values.captured.values.contains(name)
            let own = isTaken ? "\(name)_\(values.captured.count + 1)" : name
            values.captured[key] = own
            ownCaptures[other.number, default: []].append((own, found.source))
          }
          if !isKnown {
            steps.append(other)
            open.append(other)
          }
          break
        }
      }
    }
    steps.sort { index($0) < index($1) }
    let name = name(of: steps)
    noteIdentifier(steps, name)
    guard name != .loginWithPassword else { return SignIn(name: name, before: [], steps: steps) }
    let before = Array(steps.dropLast())
    return SignIn(name: name, before: before.isEmpty ? request(before: end) : before, steps: [end])
  }

  /// Whether an earlier response may contain the value.
  private func isFlow(_ field: DraftField) -> Bool {
    guard DraftValues.isDistinct(field.value) else { return false }
    let word = field.word
    if DraftNames.isPassword(word) || DraftNames.isIdentifier(word) || DraftNames.isConstant(word) { return false }
    switch field.place {
    case .query, .form, .json, .path: return DraftNames.ofClient(word) == nil
    case .header: return word.contains("csrf") || word.contains("xsrf") || word.contains("session") || word.contains("challenge")
    case .cookie: return word.contains("csrf") || word.contains("xsrf")
    case .basic, .scheme: return false
    }
  }

  private func isPlain(_ source: String) -> Bool {
    let pieces = source.hasPrefix("/") ? source.dropFirst().split(separator: "/") : [source.drop { $0 != ":" }.dropFirst()]
    return pieces.allSatisfy { DraftNames.isPlainName(String($0)) }
  }

  /// Names the sign-in by the values that the user types.
  private func name(of steps: [DraftExchange]) -> CallName {
    guard let end = steps.last else { return .loginWithPassword }
    func typed(_ exchange: DraftExchange) -> [DraftField] {
      exchange.sent.filter { [.query, .form, .json].contains($0.place) && values.captured[DraftValues.key($0.value)] == nil }
    }
    let isPassword = steps.contains { step in
      typed(step).contains { DraftNames.isPassword($0.word) }
    }
    let grant = typed(end).first { $0.word == "granttype" }?.value
    if typed(end).contains(where: { DraftNames.isPassword($0.word) }) { return .loginWithPassword }
    if grant == "authorization_code" {
      return typed(end).contains { $0.word == "code" } ? .loginWithMagicToken : .loginWithPassword
    }
    if typed(end).contains(where: { DraftNames.isCode($0.word) }) { return .loginWithCode }
    if isPassword || end.basic != nil { return .loginWithPassword }
    guard let link = typed(end).first(where: { DraftNames.isLink($0.word) }) else { return .loginWithPassword }
    return link.value.utf8.count <= 10 ? .loginWithCode : .loginWithMagicToken
  }

  /// Records the user's typed identifier: found by its name, else the only text other than the password.
  private mutating func noteIdentifier(_ steps: [DraftExchange], _ name: CallName) {
    let fields = steps.flatMap(\.sent).filter { [.query, .form, .json].contains($0.place) && !$0.value.isEmpty }
    values.typed.formUnion(
      fields.filter { $0.value.utf8.count >= 3 && (DraftNames.isPassword($0.word) || DraftNames.isCode($0.word)) }.map {
        DraftValues.key($0.value)
      })
    let named = fields.filter { DraftNames.isIdentifier($0.word) }
    values.identifiers.formUnion(named.map { DraftValues.key($0.value) })
    guard named.isEmpty, name == .loginWithPassword, fields.contains(where: { DraftNames.isPassword($0.word) }) else { return }
    let others = fields.filter { field in
      !DraftNames.isPassword(field.word) && !DraftNames.isConstant(field.word) && DraftNames.ofClient(field.word) == nil
        && !["clientid", "clientsecret", "audience", "redirecturi", "state"].contains(field.word)
    }
    if others.count == 1 { values.identifiers.insert(DraftValues.key(others[0].value)) }
  }

  /// The request for a code or a link: it sends the same identifier.
  private func request(before end: DraftExchange) -> [DraftExchange] {
    if end.sent.contains(where: { $0.word == "granttype" }) { return [] }
    let place = index(end)
    let typed = Set(end.sent.filter { DraftNames.isIdentifier($0.word) }.map { DraftValues.key($0.value) })
    let candidates = exchanges.indices.filter { index in
      let exchange = exchanges[index]
      guard index != place, exchange.kind == .signInRequest || exchange.kind == .other, exchange.session == nil,
        exchange.method != "GET", exchange.origin == end.origin, exchange.status.map({ $0 < 500 && $0 != 404 }) ?? false
      else { return false }
      let names = exchange.sent.filter { DraftNames.isIdentifier($0.word) && $0.place != .header && $0.place != .cookie }
      return names.contains { typed.isEmpty || typed.contains(DraftValues.key($0.value)) }
    }
    let found = candidates.last { $0 < place } ?? candidates.first
    return found.map { [exchanges[$0]] } ?? []
  }

  // MARK: Tokens

  private func calls(of end: DraftExchange, _ kind: (DraftExchange) -> Bool) -> [DraftExchange] {
    exchanges.filter { kind($0) && ($0.session == end.session || end.session == nil) }
  }

  private mutating func findTokens(_ first: DraftExchange) {
    let later = calls(of: first) { $0.kind == .other }
    let refreshes = calls(of: first) { $0.kind == .refresh }
    let used = Set(later.flatMap(\.sent).filter { !DraftNames.isRefresh($0.word) }.map { DraftValues.key($0.value) })
    let renewed = Set(refreshes.flatMap(\.sent).map { DraftValues.key($0.value) })
    let fields = first.received.filter { $0.value.utf8.count >= 6 && $0.place != .query && isPlain($0.source) }
    let flowing = fields.filter { used.contains(DraftValues.key($0.value)) && !DraftNames.isRefresh($0.word) }
    accessField =
      flowing.first { DraftNames.isAccess($0.word) } ?? flowing.first
      ?? fields.first { DraftNames.isAccess($0.word) && !DraftNames.isRefresh($0.word) }
      ?? fields.first { field in
        field.place == .cookie && ["sess", "sid", "auth", "token"].contains { field.word.contains($0) }
      }
    let access = accessField.map { DraftValues.key($0.value) }
    let others = fields.filter { DraftValues.key($0.value) != access || DraftNames.isRefresh($0.word) }
    let exchanged = others.filter { renewed.contains(DraftValues.key($0.value)) && $0.value.utf8.count >= 8 }
    refreshField =
      exchanged.first { DraftNames.isRefresh($0.word) } ?? others.first { DraftNames.isRefresh($0.word) } ?? exchanged.first
    for exchange in exchanges where exchange.kind == .signIn || exchange.kind == .refresh {
      for field in exchange.received where field.value.utf8.count >= 6 {
        if field.word == accessField?.word { values.access.insert(DraftValues.key(field.value)) }
        if field.word == refreshField?.word || DraftNames.isRefresh(field.word) {
          values.refresh.insert(DraftValues.key(field.value))
        }
      }
      guard exchange.kind == .refresh else { continue }
      for field in exchange.sent where DraftNames.isRefresh(field.word) && field.value.utf8.count >= 6 {
        values.refresh.insert(DraftValues.key(field.value))
      }
    }
    // The lifetime of a refresh token is not a token.
    values.refresh = values.refresh.filter { !$0.utf8.allSatisfy(ASCII.isDigit) }
    for field in later.flatMap(\.sent) {
      if case .scheme(let scheme) = field.place, scheme.lowercased() == "bearer" {
        values.access.insert(DraftValues.key(field.value))
      }
    }
    values.access.subtract(later.compactMap { $0.header("apikey") }.map(DraftValues.key))
    let ids = first.received.filter {
      ["userid", "uid", "sub", "accountid"].contains($0.word) || $0.source.hasSuffix("/user/id")
    }
    values.users.formUnion(ids.filter { $0.value.utf8.count >= 4 }.map { DraftValues.key($0.value) })
  }

  /// Finds the origin that receives calls with a session, and how they send the token.
  private mutating func findAuth(_ first: DraftExchange) {
    let later = calls(of: first) { $0.kind == .other && $0.session != nil }
    var counts: [String: Int] = [:]
    for call in later where call.webOrigin != nil { counts[call.origin, default: 0] += 1 }
    home = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? first.origin
    let sent = later.filter { $0.origin == home }.flatMap(\.sent).first { field in
      values.access.contains(DraftValues.key(field.value)) && field.place != .query
    }
    switch sent?.place {
    case .scheme(let scheme) where DraftNames.isPlain(scheme): auth = scheme == "bearer" ? .bearer : .scheme(scheme)
    case .header: auth = sent.map { .header($0.name) } ?? .bearer
    case .cookie: auth = sent.map { .cookie($0.name) } ?? .bearer
    case .json, .form: auth = .elsewhere
    default: auth = accessField?.place == .cookie ? .cookie(accessField?.name ?? "") : .bearer
    }
    if let name = auth.fieldName, !DraftNames.isPlainName(name) { auth = .elsewhere }
  }

  // MARK: Other calls

  private var refresh: DraftExchange? {
    let all = exchanges.filter { $0.kind == .refresh }
    let own = all.filter { refresh in signIns.contains { $0.end?.session == refresh.session } }
    return own.first(where: \.isGranted) ?? all.first(where: \.isGranted) ?? own.first ?? all.first
  }

  private var signOut: DraftExchange? {
    let all = exchanges.filter { $0.kind == .signOut }
    let own = all.filter { signOut in signIns.contains { $0.end?.session == signOut.session } }
    return own.first(where: \.isGranted) ?? own.first ?? all.first
  }

  /// The call that shows who is signed in: found by its address, or by its response.
  private var account: DraftExchange? {
    func points(_ exchange: DraftExchange) -> Int {
      let segments = exchange.path.split(separator: "/").map { DraftNames.word($0) }
      var points = 0
      if ["me", "userinfo", "whoami", "self"].contains(segments.last) { points += 4 }
      if ["user", "account", "profile", "currentuser", "current"].contains(segments.last) { points += 3 }
      let operation = exchange.header("x-amz-target")?.hasSuffix(".GetUser") == true ? "me" : Self.operation(of: exchange)
      if ["me", "viewer", "currentuser", "getme", "whoami"].contains(operation) { points += 4 }
      guard points > 0 || exchange.method == "GET" else { return 0 }
      let returned = exchange.received.filter { $0.place == .json }
      if returned.contains(where: { values.identifiers.contains(DraftValues.key($0.value)) && $0.value.utf8.count >= 3 }) {
        points += 3
      }
      return points
    }
    let candidates = exchanges.filter { exchange in
      exchange.kind == .other && exchange.session != nil && exchange.responseJSON?.root.kind == .object
        && exchange.status.map { (200..<300).contains($0) } ?? false
    }
    let best = candidates.map { (exchange: $0, points: points($0)) }.enumerated()
      .max { ($0.element.points, -$0.offset) < ($1.element.points, -$1.offset) }?.element
    return best.flatMap { $0.points >= 3 ? $0.exchange : nil }
  }

  /// The name of a GraphQL operation.
  private static func operation(of exchange: DraftExchange) -> String {
    DraftNames.word(exchange.json?.root["operationName"]?.string ?? "")
  }

  // MARK: The file

  /// The file, which `backend-file check` accepts. It contains no value of the session.
  mutating func text(file: String) -> String {
    values.users.formUnion(accountIDs)
    var calls: [DraftCall] = []
    var notes: [(place: Int, text: String)] = []
    func note(_ text: String) { notes.append((calls.count, text)) }
    for signIn in signIns {
      if signIn.name != .loginWithPassword {
        let name = signIn.name == .loginWithCode ? CallName.requestLoginCode : .requestMagicLink
        if signIn.before.isEmpty {
          note(
            name == .requestLoginCode
              ? "\(name.rawValue): the session shows no request for the code."
              : "\(name.rawValue): the session shows no request for the link; users paste it.")
        } else if !calls.contains(where: { $0.name == name }) {
          calls.append(DraftCall(name: name, requests: requests(signIn.before, of: name)))
        }
      }
      var call = DraftCall(name: signIn.name, requests: requests(signIn.steps, of: signIn.name))
      let fields = signIn.steps.flatMap(\.sent).map(\.word)
      if fields.contains("codeverifier") {
        call.comment = "The code_verifier of PKCE is new at each sign-in, which a file cannot describe."
      }
      calls.append(call)
    }
    if let refresh {
      var call = DraftCall(name: .refreshTokens, requests: requests([refresh], of: .refreshTokens))
      if !refresh.isGranted { call.comment = "The session shows no refresh that worked, only this one." }
      let sendsToken = refresh.sent.contains { values.token($0) == "{refresh_token}" }
      if !sendsToken, refreshField != nil { call.comment = "The session does not show how this request sends the refresh token." }
      calls.append(call)
    } else {
      note("refresh_tokens: the session shows no refresh. Without it, a token that expires ends the session.")
    }
    if let account {
      calls.append(DraftCall(name: .me, requests: requests([account], of: .me)))
    } else {
      note("me: the session shows no call for the account, which is then what the sign-in returned.")
    }
    if let signOut {
      calls.append(DraftCall(name: .logout, requests: requests([signOut], of: .logout)))
    } else {
      note("logout: the session shows no sign-out. Without it, signing out forgets the tokens.")
    }
    for call in calls.indices {
      for request in calls[call].requests.indices {
        calls[call].requests[request].captures = ownCaptures[calls[call].requests[request].exchange.number] ?? []
      }
    }
    // With the calls as they are, it shows which values the usual names find.
    for name in signIns.map(\.name) + [.refreshTokens, .me] {
      guard let place = calls.firstIndex(where: { $0.name == name }),
        let definition = try? BackendDefinition(parsing: Array(text(calls, notes, file).utf8), file: file)
      else { continue }
      addCaptures(to: &calls[place], definition)
    }
    return text(calls, notes, file)
  }

  private var accountIDs: Set<String> {
    let ids = account?.received.filter { ["id", "userid", "uid", "sub"].contains($0.word) && $0.value.utf8.count >= 4 } ?? []
    return Set(ids.map { DraftValues.key($0.value) })
  }

  private mutating func requests(_ exchanges: [DraftExchange], of name: CallName) -> [DraftRequest] {
    exchanges.map { DraftRequest($0, of: name, home: home, auth: auth, values: &values) }
  }

  private func text(_ calls: [DraftCall], _ notes: [(place: Int, text: String)], _ file: String) -> String {
    var lines = [
      "# How the backend of a recorded session signs users in. Check the file with `understudy backend-file check FILE`.",
      "#",
      "# {name} is a value of the flow, such as identifier, password, code, access_token, or what a request captured.",
      "# ${NAME} is a secret, from the variable UNDERSTUDY_SECRET_NAME or the file NAME of --secrets DIR.",
    ]
    if !values.secrets.isEmpty {
      lines += ["#", "# Values of the session that this file cannot contain:"]
      lines += values.secrets.map { "#   UNDERSTUDY_SECRET_\($0.name): \($0.field) in row \($0.row)" }
    }
    lines.append("understudy: 1")
    if let origin = WebOrigin.read(home)?.origin {
      lines.append("url: \(origin.text)")
    } else {
      lines.append("# url: the session's backend has no https address with a host name.")
    }
    switch auth {
    case .bearer: break
    case .scheme(let scheme): lines.append("auth: {Authorization: \(DraftYAML.quoted("\(scheme) {access_token}"))}")
    case .header(let name): lines.append("auth: {\(DraftYAML.text(name)): \"{access_token}\"}")
    case .cookie, .elsewhere: lines.append("auth: {}")
    }
    lines.append("calls:")
    for (index, call) in calls.enumerated() {
      lines += notes.filter { $0.place == index }.map { "  # \($0.text)" }
      if let comment = call.comment { lines.append("  # \(comment)") }
      if call.requests.count == 1 {
        lines += call.requests[0].lines(after: call.name.rawValue, indent: "  ")
      } else {
        lines.append("  \(call.name.rawValue):")
        for request in call.requests { lines += request.lines(after: "-", indent: "    ") }
      }
    }
    lines += notes.filter { $0.place >= calls.count }.map { "  # \($0.text)" }
    return lines.joined(separator: "\n") + "\n"
  }

  // MARK: Captures

  /// Adds captures for values that the usual names do not find, or find elsewhere.
  private func addCaptures(to call: inout DraftCall, _ definition: BackendDefinition) {
    guard let last = call.requests.indices.last, let described = definition.call(call.name) else { return }
    let exchange = call.requests[last].exchange
    guard exchange.status != nil, call.name != .refreshTokens || exchange.isGranted else { return }
    var headers = HTTPFields()
    for (name, value) in exchange.responseHeaders {
      guard let name = HTTPField.Name(name) else { continue }
      for line in value.split(separator: "\n") { headers.append(HTTPField(name: name, value: String(line))) }
    }
    let answer = ReceivedAnswer(status: exchange.status ?? 0, headers: headers, document: exchange.responseJSON)
    var found = CapturedValues()
    try? definition.capture(from: answer, toRequest: last, of: described, into: &found)
    var missing: [(name: String, source: String)] = []
    for (name, field) in call.name == .me ? accountFields(exchange) : tokenFields(exchange, call.name) {
      if found.fields[name]?.scalar != field.value { missing.append((name, field.source)) }
    }
    // A refresh with its own capture ignores the login's captures.
    let isWhole = call.name == .refreshTokens && !missing.isEmpty
    call.requests[last].captures +=
      isWhole ? tokenFields(exchange, call.name).map { ($0.name, $0.field.source) } : missing
  }

  private func tokenFields(_ exchange: DraftExchange, _ name: CallName) -> [(name: String, field: DraftField)] {
    let fields = exchange.received.filter { !$0.value.isEmpty && isPlain($0.source) }
    func same(_ known: DraftField?) -> DraftField? {
      guard let known else { return nil }
      return fields.first { $0.source == known.source } ?? fields.first { $0.word == known.word && $0.place == known.place }
    }
    var found: [(name: String, field: DraftField)] = []
    if let access = same(accessField) { found.append(("access_token", access)) }
    if let refresh = same(refreshField) { found.append(("refresh_token", refresh)) }
    let lifetime = fields.first { field in
      ["expiresin", "accessexpiresin", "accesstokenexpiresin", "ttl"].contains(field.word) && Double(field.value) != nil
    }
    if let lifetime { found.append(("expires_in", lifetime)) }
    return found
  }

  private func accountFields(_ exchange: DraftExchange) -> [(name: String, field: DraftField)] {
    let fields = exchange.received.filter { $0.place == .json && !$0.value.isEmpty && isPlain($0.source) }
    // Lists contain other objects.
    let own = fields.filter { !$0.source.split(separator: "/").contains { $0.utf8.allSatisfy(ASCII.isDigit) } }
    var found: [(name: String, field: DraftField)] = []
    if let id = own.first(where: { ["userid", "uid", "sub"].contains($0.word) })
      ?? own.first(where: { ["id", "pk", "uuid"].contains($0.word) })
    {
      found.append(("user_id", id))
    }
    if let mail = own.first(where: { ["email", "mail", "emailaddress"].contains($0.word) }) { found.append(("email", mail)) }
    let names = ["displayname", "fullname", "name", "nickname", "username"]
    if let name = names.lazy.compactMap({ word in own.first { $0.word == word } }).first { found.append(("display_name", name)) }
    return found
  }
}

extension DraftAuth {
  /// The name of the field or cookie that has the token.
  fileprivate var fieldName: String? {
    switch self {
    case .header(let name), .cookie(let name): name
    case .scheme, .elsewhere: nil
    }
  }
}

extension JSONTree {
  /// A string, or the source of another scalar.
  fileprivate var scalar: String? {
    switch self {
    case .string(let text): text
    case .literal(let source): source
    case .object, .array: nil
    }
  }
}
