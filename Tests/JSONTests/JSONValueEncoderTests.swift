import FoundationEssentials
import Testing

@testable import JSON

/// Compares with Foundation's encoder.
struct JSONValueEncoderTests {
  private enum Colour: String, Encodable { case red, green = "deep green" }

  private enum Choice: Encodable {
    case none
    case some(of: Int, isLast: Bool)
  }

  private struct Everything: Encodable {
    var userID = "a/b\"\\\u{8}\u{9}\u{a}\u{c}\u{d}\u{1}\u{1f}\u{7f}é😀\u{2028}"
    var myURLProperty: String?
    var isOn = true
    var a: Int8 = -128
    var b: UInt64 = .max
    var c: Int64 = .min
    var d = 1.0
    var e = -0.5
    var f: Float = 3.1
    var g = 1e300
    var at = Date(timeIntervalSince1970: 1.25)
    var stamp = Timestamp(milliseconds: 5)
    var colours: [Colour?] = [.red, nil, .green]
    var choices: [Choice] = [.none, .some(of: 1, isLast: false)]
    var wordCounts = ["aB": 1, "user_id": 2, "": 3]
    var byNumber = [7: "x"]
    var empty: [Int] = []
    var nothing = Nothing()
    var nested = [[[1], []], [[2, 3]]]
    var optional: Int?? = .some(.none)
  }

  private struct Nothing: Encodable {}

  private class Animal: Encodable {
    let name = "Rex"
    private enum CodingKeys: CodingKey { case name }
  }

  private final class Dog: Animal {
    private enum CodingKeys: CodingKey { case oldBones, inner, list }

    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(2, forKey: .oldBones)
      var inner = container.nestedContainer(keyedBy: CodingKeys.self, forKey: .inner)
      try inner.encodeNil(forKey: .oldBones)
      var list = container.nestedUnkeyedContainer(forKey: .list)
      try list.encode(true)
      var deep = list.nestedUnkeyedContainer()
      try deep.encode(contentsOf: ["x", "y"])
      var object = list.nestedContainer(keyedBy: CodingKeys.self)
      try object.encode(list.count, forKey: .oldBones)
      try super.encode(to: list.superEncoder())
      try super.encode(to: container.superEncoder())
    }
  }

  private static func same(_ value: some Encodable, _ keys: JSONCoding.Keys) throws {
    let foundation = JSONEncoder()
    if keys == .snakeCase { foundation.keyEncodingStrategy = .convertToSnakeCase }
    foundation.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    foundation.dateEncodingStrategy = .custom { date, encoder in try Timestamp(date).encode(to: encoder) }
    let expected = String(decoding: try foundation.encode(value), as: UTF8.self)
    #expect(String(decoding: try JSONCoding.encode(value, keys: keys), as: UTF8.self) == expected)
  }

  @Test(arguments: [JSONCoding.Keys.asSpelled, .snakeCase])
  func valuesAreWrittenAsFoundationWritesThem(keys: JSONCoding.Keys) throws {
    try Self.same(Everything(), keys)
    try Self.same(Dog(), keys)
    try Self.same([Everything(), Everything(myURLProperty: "x", isOn: false)], keys)
    try Self.same("text", keys)
    try Self.same(-7, keys)
    try Self.same([Int?.none], keys)
    try Self.same(["key": ["innerKey": Everything()]], keys)
    try Self.same([String: Int](), keys)
  }

  @Test(
    arguments: [
      "a", "userId", "userID", "myURLProperty", "sha256Pin", "isOn", "_private", "_oneTwo", "a_b", "deviceIDTag", "x1Y",
    ])
  func propertiesBecomeMembersAsFoundationConvertsThem(name: String) throws {
    struct Name: Encodable {
      let name: String
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: JSONCodingKey.self)
        try container.encode(1, forKey: JSONCodingKey(stringValue: name))
      }
    }
    try Self.same(Name(name: name), .snakeCase)
  }

  @Test func everyCharacterIsWrittenSoThatItIsRead() throws {
    let text = String(String.UnicodeScalarView((0..<0x3000).compactMap(Unicode.Scalar.init)))
    #expect(try JSONCoding.decode([String].self, from: JSONCoding.encode([text])) == [text])
  }
}
