import HTTPTypes
import JSON
import RPC
import Support
import Testing

@testable import Backend

/// What each dialect answers, compared with what `strict` answers to the same call.
@Suite(.timeLimit(.minutes(1))) struct DialectTests {
  /// A session of a probe whose tokens may be spelled in any dialect.
  private struct Caller {
    let probe: BackendProbe
    let login: BackendProbe.Reply
    let access: String
    let refresh: String

    init(_ dialect: BackendDialect, time: DrivenTime = DrivenTime(), limits: LimitsMode = .off) async throws {
      probe = try await BackendProbe(time: time, limits: limits, dialect: dialect)
      // The answer to a request for a code differs between dialects too, so `ask` does not fit.
      let asked = try await probe.post("/rpc/request_login_code", #"{"identifier":"ana@example.com"}"#)
      try #require(asked.status == 200)
      let message = try #require(await probe.backend.inbox.messages(to: [BackendProbe.ana], after: nil, wait: .seconds(20)).last)
      login = try await probe.redeem(code: try #require(message.code))
      let body = try login.json
      access = try #require((body["access_token"] ?? body["accessToken"])?.string)
      refresh = try #require((body["refresh_token"] ?? body["refreshToken"])?.string)
    }

    func get(_ path: String, query: String? = nil, fields: [(String, String)] = []) async throws -> BackendProbe.Reply {
      try await probe.call(.get, path, token: access, fields: fields, query: query)
    }

    func post(_ path: String, _ body: String, key: String? = nil) async throws -> BackendProbe.Reply {
      try await probe.post(path, body, token: access, key: key)
    }
  }

  private func keys(_ node: JSONNode?) -> Set<String> { Set((node?.members ?? []).map(\.key)) }

  /// Every member of a document at any depth, with its key.
  private func members(_ node: JSONNode) -> [(key: String, value: JSONNode)] {
    node.members.flatMap { [$0] + members($0.value) } + node.elements.flatMap(members)
  }

  // MARK: Answers

  @Test func strictIsTheContract() async throws {
    let caller = try await Caller(.strict)
    let tokens = try caller.login.json
    #expect(
      keys(tokens) == [
        "access_token", "refresh_token", "token_type", "expires_in", "expires_at", "refresh_expires_in", "refresh_expires_at",
        "session_id", "profile",
      ])
    #expect(try await caller.probe.post("/rpc/request_login_code", #"{"identifier":"x"}"#).code == "invalid_identifier")
  }

  @Test func seedTokensAreThoseOfTheSeedDocument() async throws {
    let time = DrivenTime()
    let caller = try await Caller(.seed, time: time)
    let tokens = try caller.login.json
    #expect(keys(tokens) == ["accessToken", "refreshToken", "expiresAt"])
    let expiry = try #require(tokens["expiresAt"]?.string)
    #expect(expiry.hasSuffix("+0000") && expiry.utf8.count == 28)
    #expect(Timestamp(parsing: expiry)?.milliseconds == Timestamp(time.wall).milliseconds + Lifetimes.accessToken)
    let refreshed = try await caller.probe.refresh(caller.refresh).json
    #expect(keys(refreshed) == ["accessToken", "refreshToken", "expiresAt"])
    let me = try await caller.get("/rpc/me").json
    #expect(me["created_at"]?.string?.hasSuffix("+0000") == true && me["account_id"] != nil)
  }

  @Test func camelHasNoUnderscoreAndEveryMember() async throws {
    let caller = try await Caller(.camel)
    let me = try await caller.get("/rpc/me").json
    let profile = try #require(me["activeProfileId"]?.string)
    for reply in [
      caller.login, try await caller.get("/rpc/me"), try await caller.get("/rpc/app_config"),
      try await caller.get("/rpc/get_cues", query: "profile_id=\(profile)"),
      try await caller.post("/rpc/shuffle_cues", #"{"profile_id":"\#(profile)"}"#),
    ] {
      let members = members(try reply.json)
      #expect(members.allSatisfy { !$0.key.contains("_") })
      #expect(members.allSatisfy { $0.value.string.map { Timestamp(parsing: $0) == nil } ?? true }, "dates are numbers")
      #expect(try reply.json["apiVersion"]?.int64 == 2, "a member that nobody knows")
    }
    #expect(try caller.login.json["expiresIn"]?.string == "900")
    #expect(me["phone"]?.kind == .null && me["deletionScheduledFor"]?.kind == .null)
    let created = try #require(me["createdAt"]?.int64)
    #expect(created == Timestamp(caller.probe.time.wall).milliseconds)
  }

  @Test func problemLeavesMembersOut() async throws {
    let caller = try await Caller(.problem)
    let tokens = try caller.login.json
    #expect(tokens["expires_in"]?.int64 == 900 && tokens["expires_at"] == nil && tokens["refresh_expires_at"] == nil)
    let config = try await caller.get("/rpc/app_config").json
    #expect(config["network_log"] == nil && config["auth"]?["code_length"] == nil)
    #expect(config["features"]?["analytics_opt_out"] == nil && config["features"]?["login_code"]?.bool == true)
    #expect((config["supported_languages"]?.count ?? 0) > 1)
    let me = try await caller.get("/rpc/me").json
    #expect(me["roles"] == nil && me["created_at"] == nil && me["account_id"]?.string != nil)
    #expect(me["profiles"]?.elements.first?["created_at"]?.int64 == Timestamp(caller.probe.time.wall).milliseconds / 1000)
  }

  // MARK: Errors

  @Test(arguments: BackendDialect.allCases) func anErrorHasTheShapeOfTheDialect(dialect: BackendDialect) async throws {
    let reply = try await BackendProbe(dialect: dialect).post("/rpc/request_login_code", #"{"identifier":"x"}"#)
    let body = try reply.json
    #expect(reply.status == (dialect == .problem ? 422 : 400))
    #expect(reply.fields[.contentType] == (dialect == .problem ? "application/problem+json" : "application/json"))
    switch dialect {
    case .strict: #expect(body["error"]?["code"]?.string == "invalid_identifier")
    case .seed: #expect(keys(body) == ["error", "error_description"] && body["error"]?.string == "invalid_identifier")
    case .camel: #expect(body["code"]?.string == "invalid_identifier" && body["message"]?.string != nil && body["error"] == nil)
    case .problem:
      #expect(body["code"]?.string == "invalid_identifier" && body["status"]?.int64 == 422)
      #expect(keys(body).isSuperset(of: ["type", "title", "detail"]) && body["error"] == nil)
    }
  }

  @Test func problemAnswersTooManyAttemptsWith403AndTheWait() async throws {
    let probe = try await BackendProbe(limits: .prod, dialect: .problem)
    let body = #"{"identifier":"ana@example.com"}"#
    #expect(try await probe.post("/rpc/request_login_code", body).status == 200)
    let refused = try await probe.post("/rpc/request_login_code", body)
    #expect(refused.status == 403 && refused.fields[.retryAfter] == "60")
    #expect(try refused.json["code"]?.string == "too_many_attempts")
  }

  @Test(arguments: BackendDialect.allCases) func aPathThatDoesNotExistIsAnErrorOfTheDialectToo(dialect: BackendDialect)
    async throws
  {
    let probe = try await BackendProbe(dialect: dialect)
    let reply = try await probe.call(.get, "/rpc/none")
    let text = String(decoding: reply.body, as: UTF8.self)
    #expect(reply.status == 404 && text.contains("not_found") && text.contains(#""error":{"#) == (dialect == .strict))
    let wrong = try await probe.call(.delete, "/rpc/me")
    #expect(wrong.status == 405 && wrong.fields[.allow] == "GET, HEAD")
  }

  // MARK: Caches and repetitions

  @Test func anETagBelongsToItsDialectAndStillConfirms() async throws {
    var tags: Set<String> = []
    for dialect in BackendDialect.allCases {
      let caller = try await Caller(dialect)
      let config = try await caller.get("/rpc/app_config")
      let tag = try #require(config.fields[.eTag])
      tags.insert(tag)
      let again = try await caller.get("/rpc/app_config", fields: [("If-None-Match", tag)])
      #expect(again.status == 304 && again.body.isEmpty)
      let me = try await caller.get("/rpc/me").json
      let profile = try #require((me["active_profile_id"] ?? me["activeProfileId"])?.string)
      let cues = try await caller.get("/rpc/get_cues", query: "profile_id=\(profile)")
      let weak = try #require(cues.fields[.eTag])
      caller.probe.time.advance(by: .seconds(3))
      let same = try await caller.get("/rpc/get_cues", query: "profile_id=\(profile)", fields: [("If-None-Match", weak)])
      #expect(weak.hasPrefix("W/") && same.status == 304)
    }
    #expect(tags.count == 3, "seed spells the configuration as strict does")
  }

  @Test(arguments: BackendDialect.allCases) func aKeyGetsTheSameAnswerAgain(dialect: BackendDialect) async throws {
    let caller = try await Caller(dialect)
    let me = try await caller.get("/rpc/me").json
    let account = try #require((me["account_id"] ?? me["accountId"])?.string)
    for (language, status) in [("de", 201), ("xx", 400)] {
      let body = #"{"account_id":"\#(account)","language_code":"\#(language)"}"#
      let key = language == "de" ? "11111111-1111-4111-8111-111111111111" : "22222222-2222-4222-8222-222222222222"
      let first = try await caller.post("/rpc/get_or_create_account_profile", body, key: key)
      let again = try await caller.post("/rpc/get_or_create_account_profile", body, key: key)
      #expect(first.status == status && again.status == status)
      if status == 201 { #expect(first.body == again.body) }
    }
    let missing = #"{"account_id":"\#(account)","language_code":"ja"}"#
    let key = "33333333-3333-4333-8333-333333333333"
    let refused = try await caller.post("/rpc/set_active_profile", missing, key: key)
    let stored = try await caller.post("/rpc/set_active_profile", missing, key: key)
    #expect(refused.status == 404 && stored.status == 404)
    #expect(String(decoding: stored.body, as: UTF8.self).contains(#""error":{"#) == (dialect == .strict))
    #expect(refused.fields[.contentType] == stored.fields[.contentType])
  }

  @Test func theDescriptionStaysThatOfStrict() async throws {
    let strict = try await BackendProbe().call(.get, "/swagger.json")
    for dialect in BackendDialect.allCases {
      #expect(try await BackendProbe(dialect: dialect).call(.get, "/swagger.json").body == strict.body)
    }
  }

  // MARK: Whole seconds

  @Test func aDateInWholeSecondsIsEnoughToChangeACueAndToNoticeAConflict() async throws {
    let caller = try await Caller(.problem, time: DrivenTime())
    let me = try await caller.get("/rpc/me").json
    let profile = try #require(me["active_profile_id"]?.string)
    let cue = try #require(
      try await caller.get("/rpc/get_cues", query: "profile_id=\(profile)").json["cues"]?.elements.first)
    let id = try #require(cue["cue_id"]?.string)
    func move(to stage: String, base: Int64) async throws -> BackendProbe.Reply {
      let date = Timestamp(milliseconds: base * 1000).text
      return try await caller.post(
        "/rpc/update_cue_stage", #"{"cue_id":"\#(id)","stage":"\#(stage)","base_updated_at":"\#(date)"}"#)
    }
    let base = try #require(cue["updated_at"]?.int64)
    let first = try await move(to: "learning", base: base)
    let second = try #require(try first.json["updated_at"]?.int64)
    #expect(first.status == 200 && second > base, "two changes within a second have different dates")
    let conflict = try await move(to: "review", base: base)
    #expect(conflict.status == 409)
    #expect(try conflict.json["details"]?["cue"]?["updated_at"]?.int64 == second)
    #expect(try await move(to: "review", base: second).status == 200)
  }
}
