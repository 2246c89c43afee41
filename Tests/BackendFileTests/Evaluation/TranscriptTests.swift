import HTTPTypes
import JSON
import Testing
import Text

@testable import BackendFile

/// Plays what was recorded with each product: the file makes the recorded requests, and reads the recorded answers.
struct TranscriptTests {
  /// A recorded step and what the client makes of it.
  struct Play {
    let step: Int
    let call: CallName
    var index = 0
    /// Values that differ from those of the flow so far.
    var with: [String: String] = [:]
    var outcome: Outcome = .success

    enum Outcome: Equatable {
      case success
      case word(ErrorWord)
      case failed
    }
  }

  struct Product: CustomTestStringConvertible {
    let name: String
    var file: String?
    var values: [String: String] = [:]
    var secrets: [String: String] = [:]
    let plays: [Play]

    var testDescription: String { file ?? name }
  }

  private static func request(_ step: Int, _ with: [String: String] = [:], _ outcome: Play.Outcome = .success) -> Play {
    Play(step: step, call: .requestLoginCode, with: with, outcome: outcome)
  }

  private static func code(_ step: Int, _ code: String, _ outcome: Play.Outcome = .success) -> Play {
    Play(step: step, call: .loginWithCode, with: ["code": code], outcome: outcome)
  }

  private static func password(
    _ step: Int, _ password: String = "correct horse 9", _ outcome: Play.Outcome = .success
  ) -> Play { Play(step: step, call: .loginWithPassword, with: ["password": password], outcome: outcome) }

  private static func me(_ step: Int, _ outcome: Play.Outcome = .success, token: String? = nil) -> Play {
    Play(step: step, call: .me, with: token.map { ["access_token": $0] } ?? [:], outcome: outcome)
  }

  private static func refresh(_ step: Int, _ outcome: Play.Outcome = .success, token: String? = nil) -> Play {
    Play(step: step, call: .refreshTokens, with: token.map { ["refresh_token": $0] } ?? [:], outcome: outcome)
  }

  private static let wrong = Play.Outcome.word(.wrong)
  private static let expired = Play.Outcome.word(.expired)
  private static let ended = Play.Outcome.word(.ended)
  private static let ada = ["identifier": "ada@example.com"]

  static let products = [
    Product(
      name: "allauth-session", values: ada,
      plays: [
        request(2), code(3, "AAA-AAA", wrong), code(5, "PVVC-VRSS"), code(6, "PVVC-VRSS", wrong), me(7),
        Play(step: 11, call: .logout), me(12, ended), request(14, ["identifier": "nope"], wrong),
        request(15, ["identifier": "nobody@example.com"]),
      ]),
    Product(
      name: "allauth-jwt", values: ada,
      plays: [
        request(2), code(3, "AAA-AAA", wrong), code(5, "QGRQ-VBMC"), code(6, "QGRQ-VBMC", wrong), me(8), me(10, expired),
        refresh(11),
        refresh(12, ended), refresh(14, ended, token: "x"), me(15, expired, token: "x"), Play(step: 17, call: .logout),
        me(19, expired), refresh(20, ended), request(21, ["identifier": "nope"], wrong), request(23), request(24),
        request(25, [:], .word(.tooMany)), code(31, "AAAAAA", wrong),
      ]),
    Product(
      name: "simplejwt", values: ["identifier": "ada"],
      plays: [
        password(1), password(2, "no", wrong), me(4), me(7, expired, token: "x"), me(8, expired), refresh(9), refresh(10, ended),
        refresh(12, ended, token: "x"), Play(step: 13, call: .logout), refresh(14, ended), password(16),
        password(21, "no", .word(.tooMany)), refresh(22, ended),
      ]),
    Product(
      name: "cognito", values: ["identifier": "ada"], secrets: ["CLIENT_ID": "84a3ddace3d1ee9fc33572e50b"],
      plays: [
        request(1, ["password": "Correct-horse-9"]), request(2, ["password": "no"], wrong),
        request(3, ["identifier": "nobody", "password": "no"], wrong), code(4, "000000", wrong), code(5, "483321"),
        code(6, "483321", wrong), me(7), me(8, expired, token: "x"), refresh(9), refresh(10), refresh(11, ended, token: "x"),
        Play(step: 12, call: .logout), me(13, expired), refresh(14, ended),
      ]),
    Product(
      name: "oidc", values: ["identifier": "ada"], secrets: ["CLIENT_SECRET": "x"],
      plays: [
        Play(step: 2, call: .loginWithPassword), Play(step: 4, call: .loginWithPassword, index: 1),
        Play(step: 5, call: .loginWithPassword, index: 1, outcome: wrong),
        Play(step: 6, call: .loginWithPassword, index: 1, with: ["grant": "x"], outcome: wrong), me(7),
        me(9, expired, token: "x"),
        me(10, expired), refresh(11), refresh(12), refresh(14, ended, token: "x"), refresh(15), refresh(18, ended),
      ]),
    Product(
      name: "oidc", file: "oidc-link", secrets: ["CLIENT_SECRET": "x"],
      plays: [
        Play(
          step: 4, call: .loginWithMagicToken, with: ["link.code": "nYzPIe4X8uVIhBT0ZICYcL20Q0Ju9qRkU972K2zn2mWPGAQ3"]),
        Play(step: 6, call: .loginWithMagicToken, with: ["link.code": "x"], outcome: wrong), me(7), refresh(11),
      ]),
    Product(
      name: "fastapi-users", values: ada,
      plays: [
        password(1), password(2, "no", wrong), me(4), me(6, ended, token: "x"), me(7, ended), password(8),
        Play(step: 9, call: .logout), me(10, ended), Play(step: 11, call: .logout, outcome: ended),
      ]),
    Product(
      name: "flask-security-body", values: ada,
      plays: [
        request(1), request(2, ["identifier": "nobody@example.com"], wrong), code(3, "000000", wrong), code(4, "960597"), me(6),
        me(8, expired, token: "x"), me(9, expired), refresh(10), me(11), refresh(12, ended), refresh(14, ended, token: "x"),
        code(17, "960597"), Play(step: 18, call: .logout), me(19), refresh(20, ended),
      ]),
    Product(
      name: "flask-security-cookie", values: ada,
      plays: [
        request(1), code(3, "000000", wrong), code(4, "715437"), me(6), me(9, expired), refresh(10), me(11),
        refresh(12, .word(.reused)), refresh(13, ended), refresh(14, ended, token: "x"), code(17, "914788"),
        Play(step: 18, call: .logout), refresh(20, ended),
      ]),
    Product(
      name: "flask-jwt-extended", values: ["identifier": "ada"],
      plays: [
        password(1), password(2, "x", wrong), me(3), me(5, .failed, token: "x"), me(7, expired), refresh(8), refresh(9),
        refresh(10, ended, token: "x"), Play(step: 12, call: .logout), me(13, ended), Play(step: 14, call: .logout, index: 1),
        refresh(15, ended), password(16), refresh(17, ended),
      ]),
    Product(
      name: "drfpasswordless", values: ada,
      plays: [
        request(1), request(2), request(3, ["identifier": "nope"], wrong), code(4, "562863", wrong), code(6, "000000", wrong),
        code(7, "726205"), me(9), me(11, ended, token: "x"), Play(step: 13, call: .logout), me(14, ended),
      ]),
    Product(
      name: "django-oauth-toolkit", values: ["identifier": "ada"], secrets: ["CLIENT_SECRET": "hush hush"],
      plays: [
        password(1), password(2, "x", wrong), me(5), me(7, expired, token: "x"), me(8, expired),
        refresh(9), me(10), refresh(11, ended, token: "8M5vPTjzAEwNHqLaFZqLwnj5bmDyp3"), refresh(12, ended),
        refresh(13, ended, token: "x"), me(14, expired), password(15), Play(step: 16, call: .logout), me(17, expired),
        refresh(18, ended),
      ]),
    Product(
      name: "knox", values: ["identifier": "ada"],
      plays: [
        password(1), password(2, "x", wrong), me(3), me(5, ended, token: "x"), me(8, ended), password(9),
        Play(step: 10, call: .logout), me(11, ended),
      ]),
  ]

  @Test(arguments: products) func recordedStepsAreMadeAndRead(_ product: Product) throws {
    let definition = try Samples.documented(product.file ?? product.name)
    let transcript = try Transcript(product.name)
    var values = product.values
    for play in product.plays {
      let step = try transcript.step(play.step)
      let call = try #require(definition.call(play.call))
      values.merge(play.with.filter { $0.key == "code" }) { $1 }
      let request = try definition.render(
        call.requests[play.index],
        with: TemplateValues(values: values.merging(play.with) { $1 }, secrets: product.secrets))
      try Self.compare(request, step.request, definition.auth.map(\.name), "\(product.testDescription) \(play.step)")
      let answer = try step.received
      switch definition.verdict(on: answer, to: call.requests[play.index], of: play.call) {
      case .success:
        #expect(play.outcome == .success, "\(product.testDescription) \(play.step)")
        var captured = CapturedValues()
        try definition.capture(from: answer, toRequest: play.index, of: call, into: &captured)
        values.merge(captured.values) { $1 }
        guard play.index == call.requests.count - 1 else { continue }
        let contract = try definition.answer(to: call, from: captured)
        switch play.call.role {
        case .login, .refresh: #expect(contract["access_token"]?.string?.isEmpty == false)
        case .signedIn where play.call == .me: #expect(contract["user_id"]?.string?.isEmpty == false)
        default: break
        }
      case .failure(let failure):
        let outcome: Play.Outcome = if case .word(let word) = failure.meaning { .word(word) } else { .failed }
        #expect(outcome == play.outcome, "\(product.testDescription) \(play.step)")
      }
    }
  }

  /// Whether a request is the recorded one; pairs and JSON are compared decoded, because spellings differ.
  private static func compare(
    _ request: RenderedRequest, _ recorded: Transcript.Message, _ auth: [HTTPField.Name], _ step: String
  ) throws {
    let words = recorded.first.split(separator: " ")
    #expect(request.method.rawValue == words[0].description, "\(step)")
    let target = words[1].split(separator: "?", maxSplits: 1)
    #expect(request.path == target[0].description, "\(step)")
    // The recorder added its own state.
    let query = target.count == 2 ? QueryPairs.parse(String(target[1]))?.filter { $0.0 != "state" } : nil
    #expect(
      request.query.flatMap { QueryPairs.parse($0) }?.map { "\($0.0)=\($0.1)" } == query?.map { "\($0.0)=\($0.1)" }, "\(step)")
    var headers = request.headers
    // The recorder sent it too, but left it out.
    #expect(headers[.accept] == "application/json", "\(step)")
    headers[.accept] = nil
    // Some recorded calls went without, where the product does not look at it.
    for name in auth where recorded.headers[name] == nil { headers[name] = nil }
    #expect(Set(headers) == Set(recorded.headers), "\(step)")
    let body = request.body.map { String(decoding: $0, as: UTF8.self) } ?? ""
    if body.hasPrefix("{") {
      let made = try JSONTree(parsing: Array(body.utf8))
      let seen = try JSONTree(parsing: Array(recorded.body.utf8))
      #expect(made.sorted == seen.sorted, "\(step)")
    } else {
      #expect(
        QueryPairs.parse(body)?.map { "\($0.0)=\($0.1)" } == QueryPairs.parse(recorded.body)?.map { "\($0.0)=\($0.1)" }, "\(step)"
      )
    }
  }
}
