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
      (#"{"profiles":[{"at":"1970-01-01T00:00:00Z"}]}"#, 13, "profiles.0.profile_id is missing"),
      (#"{"profiles":[{"profile_id":7,"at":"1970-01-01T00:00:00Z"}]}"#, 27, "profiles.0.profile_id is a number, not a string"),
      (#"{"profiles":[{"profile_id":null,"at":"1970-01-01T00:00:00Z"}]}"#, 27, "profiles.0.profile_id is null, not a string"),
      (#"{"profiles":[{"profile_id":"","at":"never"}]}"#, 35, "profiles.0.at is a string, not a date"),
      (#"{"profiles":[{"profile_id":"","at":1}]}"#, 35, "profiles.0.at is a number, not a date"),
      (#"{"profiles":[{"profile_id":""}]}"#, 13, "profiles.0.at is missing"),
      (#"{"profiles":[true]}"#, 13, "profiles.0 is a boolean, not an object"),
      (#"{"profiles":{}}"#, 12, "profiles is an object, not an array"), ("[]", 0, "the document is an array, not an object"),
      ("{}", 0, "profiles is missing"),
    ])
  func mismatchesHaveTheirPlace(text: String, offset: Int, mismatch: String) {
    let error = #expect(throws: JSONError.self) { try JSONCoding.decode(Answer.self, from: Array(text.utf8)) }
    #expect(error?.offset == offset && error?.mismatch == mismatch)
    #expect(error?.reason == (mismatch.hasSuffix("missing") ? .missingMember : .unexpectedValue))
  }

  @Test(
    arguments: [(#"{"profiles":[],"profiles":[]}"#, .duplicateKey, 15), ("{", .unexpectedEnd, 1)]
      as [(String, JSONError.Reason, Int)])
  func invalidJSONIsNoMismatch(text: String, reason: JSONError.Reason, offset: Int) {
    let error = #expect(throws: JSONError(reason, at: offset)) { try JSONCoding.decode(Answer.self, from: Array(text.utf8)) }
    #expect(error?.mismatch == nil)
  }

  @Test func anErrorSaysWhatEachTypeExpects() {
    struct Every: Decodable {
      var text: String
      var flag: Bool
      var count: UInt8
      var share: Double
      var at: Date
      var colour: Colour
      var list: [Int]
      var answer: Answer
      enum Colour: String, Decodable { case red }
    }
    let members = [
      "text": (#""""#, "a string"), "flag": ("true", "a boolean"), "count": ("1", "an integer"), "share": ("1", "a number"),
      "at": (#""1970-01-01T00:00:00Z""#, "a date"), "colour": (#""red""#, "a string"), "list": ("[]", "an array"),
      "answer": (#"{"profiles":[]}"#, "an object"),
    ]
    func text(_ name: String, _ value: String?) -> [UInt8] {
      let shown = members.compactMap { key, member in (key == name ? value : member.0).map { "\"\(key)\":\($0)" } }
      return Array("{\(shown.joined(separator: ","))}".utf8)
    }
    for (name, member) in members {
      let missing = #expect(throws: JSONError.self) { try JSONCoding.decode(Every.self, from: text(name, nil)) }
      #expect(missing?.path == name && missing?.expected == member.1 && missing?.found == "nothing")
      let null = #expect(throws: JSONError.self) { try JSONCoding.decode(Every.self, from: text(name, "null")) }
      #expect(null?.path == name && null?.expected == member.1 && null?.found == "null")
    }
    let unknown = #expect(throws: JSONError.self) { try JSONCoding.decode(Every.self, from: text("colour", #""blue""#)) }
    #expect(unknown?.mismatch == "colour is a string, not a known value")
  }

  @Test(arguments: ["1.5", "1e30", "99999999999999999999", "-9223372036854775809", "true", #""1""#])
  func numbersThatDoNotFitAreRefusedAtTheirPlace(number: String) {
    let text = #"{"profiles":[{"profile_id":"","number":\#(number),"at":"1970-01-01T00:00:00Z"}]}"#
    let error = #expect(throws: JSONError.self) { try JSONCoding.decode(Answer.self, from: Array(text.utf8)) }
    #expect(error?.reason == .unexpectedValue && error?.offset == 39 && error?.path == "profiles.0.number")
    #expect(error?.expected == "an integer")
  }

  @Test func faultsDoNotQuoteTheDocument() {
    let error = #expect(throws: JSONError.self) { try JSONCoding.decode([Int].self, from: Array(#"["hunter2"]"#.utf8)) }
    #expect(!String(describing: error).contains("hunter2") && error?.mismatch == "0 is a string, not an integer")
  }

  @Test func numbersThatAreNotFiniteAreRefused() {
    #expect(throws: EncodingError.self) { try JSONCoding.encode([Double.nan]) }
    #expect(throws: EncodingError.self) { try JSONCoding.encode([Double.infinity]) }
  }
}
