import HTTPTypes
import RPC
import Testing

@testable import Client

/// The response of an `answer` rule, and which attempts such a rule matches, as values.
@Suite struct FaultAnswerTests {
  private static func request(_ method: HTTPRequest.Method = .get, limit: Int? = nil) -> TransportRequest {
    TransportRequest(
      method: method, url: "https://backend.test/x", headers: [.requestID: "id-of-the-request"],
      deadline: ContinuousClock().now + .seconds(60), responseLimit: limit)
  }

  private static func header(_ name: HTTPField.Name, _ value: String) -> FaultRule.Action.Header {
    .init(name: name.rawName, value: FaultText(value))
  }

  @Test func whatIsMissingIsFilledInAsABackendWould() throws {
    let plain = try FaultRule.Action(.answer, status: 500, body: FaultText("{}")).response(to: Self.request(), wall: 0)
    #expect(plain.status == 500 && plain.body == Array("{}".utf8))
    #expect(plain.headers[.contentType] == "application/json" && plain.headers[.requestID] == "id-of-the-request")
    #expect(plain.headers[.date] == "Thu, 01 Jan 1970 00:00:00 GMT")
    let own = FaultRule.Action(
      .answer, status: 200,
      headers: [Self.header(.contentType, "text/plain"), Self.header(.date, "x"), Self.header(.requestID, "y")],
      body: FaultText("hello"))
    let response = try own.response(to: Self.request(), wall: 0)
    #expect(response.headers[.contentType] == "text/plain" && response.headers[.date] == "x")
    #expect(response.headers[.requestID] == "y" && response.headers.count == 3)
  }

  @Test func repeatedFieldsStayInTheirOrder() throws {
    let answer = FaultRule.Action(
      .answer, status: 200, headers: [Self.header(.setCookie, "a=1"), Self.header(.setCookie, "b=2")])
    #expect(try answer.response(to: Self.request(), wall: 0).headers[values: .setCookie] == ["a=1", "b=2"])
  }

  @Test(arguments: [(HTTPRequest.Method.head, 200), (.get, 204), (.get, 205), (.get, 304)])
  func whatCannotHaveContentHasNone(method: HTTPRequest.Method, status: Int) throws {
    let answer = FaultRule.Action(.answer, status: status, body: FaultText("{}"))
    let response = try answer.response(to: Self.request(method), wall: 0)
    #expect(response.body.isEmpty && response.headers[.contentType] == nil && response.status == status)
  }

  @Test func aBodyOverTheCallsLimitIsTooLargeAsATrueOne() throws {
    let answer = FaultRule.Action(.answer, status: 200, body: FaultText("12345"))
    #expect(throws: TransportError.responseTooLarge) { try answer.response(to: Self.request(limit: 4), wall: 0) }
    #expect(try answer.response(to: Self.request(limit: 5), wall: 0).body.count == 5)
  }

  private static func attempt(_ path: String = "/rpc/get_cues", query: String? = nil, body: String? = nil) -> FaultAttempt {
    FaultAttempt(
      method: "POST", endpoint: "get_cues", path: path, query: query, body: body.map { Array($0.utf8) }, isAuthorized: true)
  }

  @Test func pathAndQueryAreExact() {
    let path = FaultRule.Match(path: FaultText("/rpc/get_cues"))
    #expect(path.matches(Self.attempt()) && path.matches(Self.attempt(query: "a=1")))
    #expect(!path.matches(Self.attempt("/rpc/get_cues/")) && !path.matches(Self.attempt("/rpc")))
    // A path is not the name of an endpoint.
    #expect(!FaultRule.Match(path: FaultText("get_cues")).matches(Self.attempt()))
    let query = FaultRule.Match(query: FaultText("a=1&b=2"))
    #expect(query.matches(Self.attempt(query: "a=1&b=2")))
    #expect(!query.matches(Self.attempt(query: "b=2&a=1")) && !query.matches(Self.attempt()))
    let none = FaultRule.Match(query: FaultText(""))
    #expect(none.matches(Self.attempt()) && !none.matches(Self.attempt(query: "a=1")))
  }

  @Test func aBodyIsEqualAsJSONOrElseByteForByte() {
    let json = FaultRule.Match(body: FaultText(#"{"a":1,"b":[2]}"#))
    #expect(json.matches(Self.attempt(body: #"{ "b" : [2.0], "a" : 1 }"#)))
    #expect(!json.matches(Self.attempt(body: #"{"a":1}"#)) && !json.matches(Self.attempt()))
    let number = FaultRule.Match(body: FaultText("9007199254740993"))
    #expect(number.matches(Self.attempt(body: "9007199254740993.0")))
    #expect(!number.matches(Self.attempt(body: "9007199254740992")) && !number.matches(Self.attempt(body: "9007199254740992.0")))
    let text = FaultRule.Match(body: FaultText("a=1"))
    #expect(text.matches(Self.attempt(body: "a=1")) && !text.matches(Self.attempt(body: "a=1 ")))
    let empty = FaultRule.Match(body: FaultText(""))
    #expect(empty.matches(Self.attempt()) && empty.matches(Self.attempt(body: "")) && !empty.matches(Self.attempt(body: "x")))
  }

  @Test func theWireIsComparedWithSecretsAndTheLogWithMasks() {
    let match = FaultRule.Match(query: FaultText("t=‹token:00000000›", value: "t=secret"))
    #expect(match.matches(Self.attempt(query: "t=secret")) && !match.matches(Self.attempt(query: "t=‹token:00000000›")))
    #expect(match.matches(Self.attempt(query: "t=‹token:00000000›"), isMasked: true))
    #expect(!match.matches(Self.attempt(query: "t=secret"), isMasked: true))
  }

  @Test func theTextsOfAPlanHaveALimit() {
    func rule(_ count: Int) -> FaultRule {
      let body = FaultText(String(repeating: "x", count: count))
      return FaultRule(name: "r", action: .init(.answer, status: 200, body: body))
    }
    var plan = FaultPlan()
    for _ in 0..<4 { _ = plan.arm(rule(FaultPlan.textLimit / 4), id: "x", at: FaultPlanTests.moment) }
    #expect(plan.textBytes == FaultPlan.textLimit)
    #expect(plan.limit(for: [rule(0)]) == nil && plan.limit(for: [rule(1)]) == .texts)
    // A rule that is changed makes room for itself.
    #expect(plan.limit(for: [rule(FaultPlan.textLimit / 4)], replacing: "x") == nil)
    #expect(plan.limit(for: [rule(FaultPlan.textLimit / 4 + 1)], replacing: "x") == .texts)
    #expect(plan.limit(for: Array(repeating: rule(0), count: FaultPlan.limit - 3)) == .rules)
  }
}
