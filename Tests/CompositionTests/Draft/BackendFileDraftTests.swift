import BackendFile
import Foundation
import JSON
import Support
import Testing

@testable import Composition

/// Backend files that are made of recorded sessions.
@Suite(.timeLimit(.minutes(1))) struct BackendFileDraftTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A request of a log and its response.
  private struct Entry {
    var method = "POST"
    let url: String
    var headers: [String: String] = [:]
    var type = "application/json"
    var body: String?
    var status = 200
    var returned: [(String, String)] = []
    var answer = "{}"
  }

  private func har(_ entries: [Entry]) throws -> String {
    func quoted(_ text: String) -> String { String(decoding: JSONStringText.quoted(text), as: UTF8.self) }
    func fields(_ list: [(String, String)]) -> String {
      "[\(list.map { "{\"name\":\(quoted($0.0)),\"value\":\(quoted($0.1))}" }.joined(separator: ","))]"
    }
    let texts = entries.enumerated().map { index, entry in
      let sent = fields(entry.headers.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
      let body = entry.body.map { ",\"postData\":{\"mimeType\":\"\(entry.type)\",\"text\":\(quoted($0))}" } ?? ""
      return """
        {"startedDateTime":"2026-05-04T10:\(index < 10 ? "0" : "")\(index):00.000Z","time":80,"request":{"method":"\(entry.method)",
        "url":\(quoted(entry.url)),"headers":\(sent)\(body)},"response":{"status":\(entry.status),"headers":\(fields(entry.returned)),
        "content":{"mimeType":"application/json","text":\(quoted(entry.answer))}}}
        """
    }
    return try folder.write("{\"log\":{\"entries\":[\(texts.joined(separator: ","))]}}", to: "session.har")
  }

  private func draft(_ entries: [Entry]) throws -> (text: String, definition: BackendDefinition) {
    let text = try RecordingFile.draft(try har(entries))
    return (text, try BackendDefinition(parsing: Array(text.utf8), file: "draft.yaml"))
  }

  /// The lines of a draft that are no comments.
  private func lines(_ text: String) -> [String] {
    text.split(separator: "\n").map(String.init).filter { !$0.trimmingCharacters(in: .whitespaces).hasPrefix("#") }
  }

  private static let tokens =
    #"{"data":{"session":{"jwt":"a-token-of-one-4711","renewal":"r-token-of-one-4711","expiresIn":900}}}"#
  private static let renewed =
    #"{"data":{"session":{"jwt":"a-token-of-two-4712","renewal":"r-token-of-two-4712","expiresIn":900}}}"#

  @Test func sessionBecomesAFile() throws {
    let app = ["X-Platform": "ios", "User-Agent": "App/1"]
    let (text, _) = try draft([
      Entry(
        url: "https://api.example.com/v2/sessions", headers: app, body: #"{"mail":"ada@example.com","password":"horse-battery"}"#,
        answer: Self.tokens),
      Entry(
        method: "GET", url: "https://api.example.com/v2/me",
        headers: app.merging(["Authorization": "JWT a-token-of-one-4711"]) { $1 },
        answer: #"{"account":{"number":5,"id":"u-90017","mail":"ada@example.com","full_name":"Ada"}}"#),
      Entry(
        url: "https://api.example.com/v2/sessions/renew", headers: app, body: #"{"renewal":"r-token-of-one-4711"}"#,
        answer: Self.renewed),
      Entry(
        method: "DELETE", url: "https://api.example.com/v2/users/u-90017/session",
        headers: app.merging(["Authorization": "JWT a-token-of-two-4712"]) { $1 }, status: 204, answer: ""),
    ])
    #expect(
      lines(text) == [
        "understudy: 1", "url: https://api.example.com", #"auth: {Authorization: "JWT {access_token}"}"#, "calls:",
        "  login_with_password:", "    request: POST /v2/sessions", "    headers: {X-Platform: ios}",
        #"    json: {mail: "{identifier}", password: "{password}"}"#,
        "    capture: {access_token: \"/data/session/jwt\", refresh_token: \"/data/session/renewal\", expires_in: \"/data/session/expiresIn\"}",
        "  refresh_tokens:", "    request: POST /v2/sessions/renew", "    headers: {X-Platform: ios}",
        #"    json: {renewal: "{refresh_token}"}"#, "  me:", "    request: GET /v2/me", "    headers: {X-Platform: ios}",
        "    capture: {user_id: \"/account/id\", email: \"/account/mail\", display_name: \"/account/full_name\"}", "  logout:",
        "    request: DELETE /v2/users/{user_id}/session", "    headers: {X-Platform: ios}",
      ])
  }

  @Test func codeAndWhatItsRequestReturnedAreReferences() throws {
    let (text, definition) = try draft([
      Entry(
        url: "https://api.example.com/auth/code", body: #"{"email":"ada@example.com"}"#,
        answer: #"{"meta":{"challenge":"ch-5f2b7231-90"}}"#),
      Entry(
        url: "https://api.example.com/auth/login", body: #"{"challenge":"ch-5f2b7231-90","otp":"482913"}"#,
        answer: #"{"access_token":"a-token-of-one-4711","refresh_token":"r-token-of-one-4711"}"#),
    ])
    #expect(
      lines(text).dropFirst(3) == [
        "  request_login_code:", "    request: POST /auth/code", #"    json: {email: "{identifier}"}"#,
        "    capture: {login_challenge: \"/meta/challenge\"}", "  login_with_code:", "    request: POST /auth/login",
        #"    json: {challenge: "{login_challenge}", otp: "{code}"}"#,
      ])
    #expect(definition.signIn.map(\.fields) == [[.identifier], [.code]])
    for missing in ["refresh_tokens", "me", "logout"] { #expect(text.contains("  # \(missing): the session shows no ")) }
  }

  @Test func formsSecretsOfTheAppAndLinksAreReferences() throws {
    let (text, definition) = try draft([
      Entry(
        url: "https://id.example.com/oauth2/token", headers: ["Authorization": "Basic cGhvbmU6Y2xpZW50LXNlY3JldA=="],
        type: "application/x-www-form-urlencoded",
        body: "grant_type=authorization_code&code=c0de-of-the-link&client_id=phone-app",
        answer: #"{"access_token":"a-token-of-one-4711","refresh_token":"r-token-of-one-4711"}"#),
      Entry(method: "GET", url: "https://api.example.com/feed", headers: ["Authorization": "Bearer a-token-of-one-4711"]),
      Entry(
        url: "https://id.example.com/oauth2/token", headers: ["Authorization": "Basic cGhvbmU6Y2xpZW50LXNlY3JldA=="],
        type: "application/x-www-form-urlencoded",
        body: "grant_type=refresh_token&refresh_token=r-token-of-one-4711&client_id=phone-app",
        answer: #"{"access_token":"a-token-of-two-4712","refresh_token":"r-token-of-two-4712"}"#),
    ])
    #expect(
      lines(text) == [
        "understudy: 1", "url: https://api.example.com", "calls:", "  login_with_magic_token:",
        "    request: POST https://id.example.com/oauth2/token", #"    basic: "${CLIENT_ID}:${CLIENT_SECRET}""#,
        #"    form: {grant_type: authorization_code, code: "{link.code}", client_id: "${CLIENT_ID_2}"}"#, "  refresh_tokens:",
        "    request: POST https://id.example.com/oauth2/token", #"    basic: "${CLIENT_ID}:${CLIENT_SECRET}""#,
        #"    form: {grant_type: refresh_token, refresh_token: "{refresh_token}", client_id: "${CLIENT_ID_2}"}"#,
      ])
    #expect(definition.secrets == ["CLIENT_ID", "CLIENT_SECRET", "CLIENT_ID_2"])
    #expect(definition.hosts.map(\.origin.authority) == ["api.example.com", "id.example.com"])
  }

  @Test func sessionInCookiesIsCapturedAndSent() throws {
    let (text, definition) = try draft([
      Entry(
        url: "https://www.example.com/login", type: "application/x-www-form-urlencoded", body: "user=ada&password=horse-battery",
        status: 302, returned: [("Set-Cookie", "app.sid=s3AvbiHOP0bGrEiDIOUY; Path=/; HttpOnly")]),
      Entry(
        method: "GET", url: "https://www.example.com/api/user", headers: ["Cookie": "theme=dark; app.sid=s3AvbiHOP0bGrEiDIOUY"],
        answer: #"{"id":7,"email":"ada@example.com"}"#),
    ])
    #expect(
      lines(text) == [
        "understudy: 1", "url: https://www.example.com", "auth: {}", "calls:", "  login_with_password:",
        "    request: POST /login", #"    form: {user: "{identifier}", password: "{password}"}"#, "    success: 302",
        "    capture: {access_token: \"cookie:app.sid\"}", "  me:", "    request: GET /api/user",
        "    cookies: {app.sid: \"{access_token}\"}",
      ])
    #expect(definition.signIn.map(\.fields) == [[.identifier, .password]])
  }

  /// Every value of the log is a canary where it can be one.
  @Test func noValueOfTheLogIsInTheFile() throws {
    var number = 0
    func canary() -> String {
      number += 1
      return "canary\(number)Zq\(7000 + number)x"
    }
    let access = canary()
    let refresh = canary()
    let second = canary()
    let user = canary()
    let challenge = canary()
    let graphQL =
      "mutation SignIn{signIn(mail:\\\"\(canary())\\\",password:\\\"\(canary())\\\"){accessToken refreshToken}}"
    let (text, definition) = try draft([
      Entry(
        url: "https://api.example.com/auth/code?tenant=\(canary())&\(canary())=1",
        headers: ["X-Api-Key": canary(), "Cookie": "c=\(canary())"],
        body: #"{"email":"\#(canary())@example.com","device":{"name":"\#(canary())","\#(canary())":1}}"#,
        answer: #"{"challenge":"\#(challenge)","hint":"\#(canary())"}"#),
      Entry(
        url: "https://api.example.com/\(canary())/auth/login",
        headers: ["Authorization": "Basic \(Data("\(canary()):\(canary())".utf8).base64EncodedString())", "X-Trace": canary()],
        body: #"{"challenge":"\#(challenge)","otp":"\#(canary())","scope":"\#(canary())","pin":471147,"list":["\#(canary())"]}"#,
        returned: [("Set-Cookie", "sid=\(canary())"), ("X-Token", canary())],
        answer: #"{"access_token":"\#(access)","refresh_token":"\#(refresh)","user":{"id":"\#(user)"},"name":"\#(canary())"}"#),
      Entry(
        method: "GET", url: "https://api.example.com/users/\(user)/\(canary())/me?q=\(canary())",
        headers: ["Authorization": "Bearer \(access)", "X-User": user], answer: #"{"id":"\#(user)","name":"\#(canary())"}"#),
      Entry(
        url: "https://api.example.com/auth/refresh", headers: ["X-Old": access],
        body: #"{"refresh_token":"\#(refresh)","note":"\#(canary())"}"#,
        answer: #"{"access_token":"\#(second)","refresh_token":"\#(canary())"}"#),
      Entry(
        url: "https://api.example.com/graphql", body: "{\"operationName\":\"SignIn\",\"query\":\"\(graphQL)\"}",
        answer: #"{"data":{"signIn":{"accessToken":"\#(canary())","refreshToken":"\#(canary())"}}}"#),
      Entry(
        url: "https://api.example.com/auth/logout?all=\(canary())", headers: ["Authorization": "Bearer \(second)"],
        type: "text/plain", body: canary(), status: 204, answer: ""),
    ])
    #expect(number >= 30 && !text.contains("canary") && !text.contains("471147"))
    #expect(definition.has(.loginWithCode) && definition.has(.loginWithPassword) && definition.has(.refreshTokens))
    #expect(definition.has(.me) && definition.has(.logout))
    #expect(text.contains("{ signIn(mail:") || text.contains("${QUERY}"))
  }

  @Test func secretInAnUnusualPlaceIsNotInTheFile() throws {
    let tokens = #"{"access_token":"access-0123456789","refresh_token":"refresh-0123456789"}"#
    let login = "https://api.example.com/auth/login"
    let user = #""email":"ines@example.com","password":"correct horse battery""#
    let graphQL = #"{"query":"mutation { login(user: \"bob\", password: \"hun\\\"terzq\\\"two\") { accessToken } }"}"#
    let entries = [
      // `AliceHunterTwo` in Base64.
      ("qwxpy2vi", Entry(url: login, type: "text/plain", body: "QWxpY2VIdW50ZXJUd28=", answer: tokens)),
      ("hxkqplmzr", Entry(url: "\(login)?hXkQpLmZrTvBnWsYcDfGq", body: "{\(user)}", answer: tokens)),
      ("4711", Entry(url: "\(login)/4711", body: "{\(user)}", answer: tokens)),
      ("terzq", Entry(url: "https://api.example.com/graphql", body: graphQL, answer: tokens)),
      ("123", Entry(url: login, body: "{\(user),\"cvv\":123}", answer: tokens)),
    ]
    for (secret, entry) in entries {
      let (text, definition) = try draft([entry])
      #expect(!text.lowercased().contains(secret), "\(text)")
      #expect(definition.has(.loginWithPassword))
    }
  }

  @Test func methodOfALogCannotAddAnAddress() throws {
    let hostile = Entry(
      method: "POST HTTPS://ELSEWHERE.EXAMPLE/?K=${CLIENT_SECRET} #", url: "https://api.example.com/auth/login",
      body: #"{"email":"ines@example.com","password":"correct horse"}"#, answer: #"{"access_token":"access-0123456789"}"#)
    #expect(throws: (any Error).self) { try draft([hostile]) }
  }

  private static let fixtures = URL(fileURLWithPath: #filePath).appending(path: "../../../Fixtures").standardized

  /// The logs of the fixtures, without what they are named after.
  static let files: [String] = ["sessions", "har"].flatMap { folder in
    let names = try? FileManager.default.contentsOfDirectory(atPath: fixtures.appending(path: folder).path)
    return (names ?? []).filter { $0.hasSuffix(".har") }.sorted().map { "\(folder)/\($0)" }
  }

  @Test func fixturesBecomeFilesWithoutTheirValues() throws {
    var made: [String] = []
    for name in Self.files {
      let path = Self.fixtures.appending(path: name).path
      let text: String
      do { text = try RecordingFile.draft(path) } catch {
        #expect(error.exitCode == 66 && error.message.contains("shows no sign-in"))
        continue
      }
      made.append(name)
      let definition = try BackendDefinition(parsing: Array(text.utf8), file: name)
      #expect(definition.calls.contains { $0.name.role == .login })
      let file = String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
      let words = file.split { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "-" }
      for word in Set(words) where word.utf8.count >= 20 && word.contains(where: \.isNumber) {
        #expect(!text.contains(word), "\(name)")
      }
      for value in ["hunter22", "low-water-11", "ines@tidewatch.example", "+4915112345678"] { #expect(!text.contains(value)) }
    }
    #expect(Self.files.count >= 64 && made.count >= 20)
  }

  @Test(arguments: [
    ("10-tidewatch", "login_with_password", "POST /api/account/login"), ("wrong-kind", "login_with_code", "POST /v1/verify-otp"),
    ("gotrue-reused", "login_with_password", "POST /auth/v1/token?grant_type=password"),
    ("kept-oauth", "login_with_magic_token", "POST https://id.sable.example/token"),
    ("graphql-expired", "login_with_password", "POST /graphql"),
  ]) func signInsOfTheFixturesAreFound(name: String, call: String, request: String) throws {
    let text = try RecordingFile.draft(Self.fixtures.appending(path: "sessions/\(name).har").path)
    #expect(text.contains("  \(call):\n    request: \(request)\n") || text.contains("  \(call): \(request)\n"), "\(text)")
  }

  @Test func logWithoutASignInIsToldApartFromABrokenOne() throws {
    let failure = #expect(throws: StartFailure.self) {
      try RecordingFile.draft(try har([Entry(method: "GET", url: "https://api.example.com/feed")]))
    }
    #expect(failure?.exitCode == 66 && failure?.message.contains("shows no sign-in") == true)
    let broken = try folder.write("{", to: "broken.har")
    let other = #expect(throws: StartFailure.self) { try RecordingFile.draft(broken) }
    #expect(other?.exitCode == 66 && other?.message.contains("broken.har") == true)
  }
}
