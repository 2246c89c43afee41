import JSON
import Testing

@testable import OpenAPI

@Suite struct RequestSchemaTests {
  private struct Part: Codable, SchemaProvider {
    let count: Int?
    let code: String?

    static var schema: Schema {
      .recorded(from: Self.self).open.refined([
        "count": .range(1...9), "code": .length(1...4) && .pattern("^[a-z]*$"),
      ]).named("Part")
    }
  }

  private struct Body: Codable {
    let name: String
    let part: Part?
    let parts: [Part]?
    let ids: [String]?
  }

  private let schema = RequestSchema {
    .request(Body.self).refined(["name": .length(1...5), "ids[]": .uuid, "ids": .count(1...2)])
  }

  private func difference(_ body: String, except judged: Set<String> = []) throws -> RequestSchema.Difference? {
    let document = try JSONDocument(parsing: Array(body.utf8))
    do throws(RequestSchema.Difference) {
      try schema.check(document, except: judged)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [
    #"{"name":"abcde"}"#, #"{"name":"a","part":{"count":9,"code":"abcd"}}"#, #"{"name":"a","unknown":1}"#,
    // A member that is null counts as missing.
    #"{"name":"a","part":null,"ids":null}"#, #"{"name":"a","part":{"count":null}}"#,
    #"{"name":"a","ids":["6f1c2b9e-9d1a-4a53-8f30-3c5a2a9f5b11"]}"#,
  ])
  func whatFitsIsAccepted(body: String) throws { #expect(try difference(body) == nil) }

  @Test(arguments: [
    ("[]", nil), ("7", nil), ("{}", "name"), (#"{"name":7}"#, "name"), (#"{"name":""}"#, "name"),
    (#"{"name":"abcdef"}"#, "name"), (#"{"name":"a","part":{"count":0}}"#, "part.count"),
    (#"{"name":"a","part":{"count":1.5}}"#, "part.count"), (#"{"name":"a","part":{"code":"Abc"}}"#, "part.code"),
    (#"{"name":"a","part":{"code":"abcde"}}"#, "part.code"), (#"{"name":"a","parts":[{},{"count":10}]}"#, "parts"),
    (#"{"name":"a","ids":[]}"#, "ids"), (#"{"name":"a","ids":["x"]}"#, "ids"), (#"{"name":"a","ids":{}}"#, "ids"),
    (#"{"name":"a","ids":[null]}"#, "ids"), ("null", nil),
  ])
  func whatDoesNotFitIsToldByItsMember(body: String, field: String?) throws {
    let difference = try #require(try difference(body))
    #expect(difference.field == field)
  }

  @Test func theTextSaysWhatWasExpectedAndNoValue() throws {
    let difference = try #require(try difference(#"{"name":"s3cret"}"#))
    #expect(difference.text == "Expected string of at most 5 characters, got string of 6 characters.")
  }

  @Test func aMemberThatTheCallerJudgesIsLeftOut() throws {
    #expect(try difference(#"{"name":"abcdef"}"#, except: ["name"]) == nil)
    #expect(try difference(#"{"name":"abcdef","part":{"count":0}}"#, except: ["name"])?.field == "part.count")
  }

  @Test func aBodyThatIsTooComplexIsRefused() throws {
    let parts = String(repeating: #"{"code":"ab"},"#, count: 60_000)
    #expect(try difference(#"{"name":"a","parts":[\#(parts){}]}"#)?.text == "The body is too complex.")
  }
}
