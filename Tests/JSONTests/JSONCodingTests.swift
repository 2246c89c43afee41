import FoundationEssentials
import Testing

@testable import JSON

struct JSONCodingTests {
  private struct Profile: Codable, Equatable {
    var profileID: String
    var number: Int?
    var at: Timestamp

    enum CodingKeys: String, CodingKey {
      case number, at
      case profileID = "profile_id"
    }
  }

  private struct Answer: Codable, Equatable {
    var profiles: [Profile]
  }

  private static let answer = Answer(profiles: [Profile(profileID: "a/b", number: 1, at: Timestamp(milliseconds: 1))])
  private static let text = #"{"profiles":[{"at":"1970-01-01T00:00:00.001Z","number":1,"profile_id":"a/b"}]}"#

  @Test func keysAreSortedAndSlashesAreKept() throws {
    #expect(String(decoding: try JSONCoding.encode(Self.answer), as: UTF8.self) == Self.text)
  }

  @Test func whatIsWrittenIsRead() throws {
    #expect(try JSONCoding.decode(Answer.self, from: Array(Self.text.utf8)) == Self.answer)
  }

  @Test func datesAreTimestamps() throws {
    let bytes = try JSONCoding.encode([Date(timeIntervalSince1970: 1)])
    #expect(String(decoding: bytes, as: UTF8.self) == #"["1970-01-01T00:00:01.000Z"]"#)
    #expect(try JSONCoding.decode([Date].self, from: bytes) == [Date(timeIntervalSince1970: 1)])
  }

  @Test(
    arguments: [
      (#"{"profiles":[{"at":"1970-01-01T00:00:00Z"}]}"#, .missingMember, 13, "profiles.0.profile_id"),
      (#"{"profiles":[{"profile_id":7,"at":"1970-01-01T00:00:00Z"}]}"#, .unexpectedValue, 27, "profiles.0.profile_id"),
      (#"{"profiles":[{"profile_id":null,"at":"1970-01-01T00:00:00Z"}]}"#, .unexpectedValue, 27, "profiles.0.profile_id"),
      (#"{"profiles":[{"profile_id":"","at":"never"}]}"#, .unexpectedValue, 35, "profiles.0.at"),
      (#"{"profiles":{}}"#, .unexpectedValue, 12, "profiles"), ("[]", .unexpectedValue, 0, ""),
      ("{}", .missingMember, 0, "profiles"),
      (#"{"profiles":[],"profiles":[]}"#, .duplicateKey, 15, ""), ("{", .unexpectedEnd, 1, ""),
    ] as [(String, JSONError.Reason, Int, String)])
  func faultsHaveTheirPlace(text: String, reason: JSONError.Reason, offset: Int, path: String) {
    #expect(throws: JSONError(reason, at: offset, path: path)) { try JSONCoding.decode(Answer.self, from: Array(text.utf8)) }
  }

  @Test(arguments: ["1.5", "1e30", "99999999999999999999", "-9223372036854775809", "true", #""1""#])
  func numbersThatDoNotFitAreRefusedAtTheirPlace(number: String) {
    let text = #"{"profiles":[{"profile_id":"","number":\#(number),"at":"1970-01-01T00:00:00Z"}]}"#
    #expect(throws: JSONError(.unexpectedValue, at: 39, path: "profiles.0.number")) {
      try JSONCoding.decode(Answer.self, from: Array(text.utf8))
    }
  }

  @Test func faultsDoNotQuoteTheDocument() {
    let error = #expect(throws: JSONError.self) { try JSONCoding.decode([Int].self, from: Array(#"["hunter2"]"#.utf8)) }
    #expect(!String(describing: error).contains("hunter2"))
  }

  @Test func numbersThatAreNotFiniteAreRefused() {
    #expect(throws: EncodingError.self) { try JSONCoding.encode([Double.nan]) }
    #expect(throws: EncodingError.self) { try JSONCoding.encode([Double.infinity]) }
  }
}
