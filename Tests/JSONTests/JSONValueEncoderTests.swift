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

  /// Writes into containers that are open at the same time, in an order that is not that of the keys.
  private struct Interleaved: Encodable {
    enum CodingKeys: CodingKey { case a, b, c, d }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      var late = container.nestedContainer(keyedBy: CodingKeys.self, forKey: .d)
      var list = container.nestedUnkeyedContainer(forKey: .c)
      try late.encode(1, forKey: .b)
      try list.encode("x")
      try container.encode(["k": 2], forKey: .b)
      var inner = list.nestedContainer(keyedBy: CodingKeys.self)
      try late.encode([3, 4], forKey: .a)
      try list.encode("y")
      try inner.encode(5, forKey: .d)
      try container.encode(Dog(), forKey: .a)
      try inner.encode(6, forKey: .a)
    }
  }

  /// Goes on after a value that cannot be encoded.
  private struct Careless: Encodable {
    enum CodingKeys: CodingKey { case a, b, c }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try? container.encode([1, .nan], forKey: .b)
      try container.encode(2, forKey: .a)
      try? container.encode(Double.infinity, forKey: .c)
      var list = container.nestedUnkeyedContainer(forKey: .c)
      try? list.encode(["x": Double.nan])
      try list.encode(3)
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
    try Self.same(Interleaved(), keys)
    try Self.same([Interleaved(), Interleaved()], keys)
  }

  @Test func aValueThatCannotBeEncodedLeavesNothingBehind() throws {
    #expect(String(decoding: try JSONCoding.encode(Careless()), as: UTF8.self) == #"{"a":2,"c":[3]}"#)
  }

  @Test func everyCharacterIsEscapedAtEveryPlaceAsFoundationEscapesIt() throws {
    for byte in UInt8(0)..<0x80 {
      let character = String(Unicode.Scalar(byte))
      for place in 0..<17 { try Self.same("\(String(repeating: "!", count: place))\(character)\"é\(character)", .asSpelled) }
    }
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
