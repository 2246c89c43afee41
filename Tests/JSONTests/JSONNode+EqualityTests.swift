import Testing

@testable import JSON

struct JSONNodeEqualityTests {
  @Test(
    arguments: [
      ("{\"a\":1,\"b\":[true,null]}", " { \"b\" : [ true , null ] , \"a\" : 1 } "), ("\"\\u00e9\\n\"", "\"é\\u000a\""),
      ("1", "1.0"), ("100", "1e2"), ("-0", "0"), ("{}", "{ }"), ("[]", "[ ]"),
      ("123456789012345678901234567890", "123456789012345678901234567890"), ("9007199254740993", "9007199254740993.0"),
      ("1e400", "10e399"),
    ])
  func equal(one: String, other: String) throws {
    #expect(try isEqual(one, other) && isEqual(other, one))
  }

  @Test(
    arguments: [
      ("1", "\"1\""), ("1", "2"), ("1", "true"), ("null", "false"), ("[1,2]", "[2,1]"), ("[1]", "[1,1]"), ("{}", "[]"),
      ("{\"a\":1}", "{\"a\":1,\"b\":1}"), ("{\"a\":1}", "{\"b\":1}"), ("{\"a\":null}", "{}"), ("\"a\"", "\"A\""),
      // As doubles these would be equal.
      ("9007199254740992", "9007199254740993"), ("9007199254740992", "9007199254740993.0"), ("0.1", "0.10000000000000000001"),
    ])
  func different(one: String, other: String) throws {
    #expect(try !isEqual(one, other) && !isEqual(other, one))
  }

  private func isEqual(_ one: String, _ other: String) throws -> Bool {
    var work = Int.max
    return try root(one).isEqual(to: root(other), work: &work)
  }

  private func root(_ text: String) throws -> JSONNode { try JSONDocument(parsing: Array(text.utf8)).root }
}
