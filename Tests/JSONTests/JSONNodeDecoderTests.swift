import FoundationEssentials
import Testing

@testable import JSON

/// Compares with Foundation's decoder.
struct JSONNodeDecoderTests {
  private struct Numbers: Decodable, Equatable {
    var a: Int8?
    var b: UInt64?
    var c: Double?
    var d: Float?
    var e: [Int]?
    var f: [UInt8: Bool]?
    var g: UInt?
    var h: Int32?
  }

  private enum Colour: String, Decodable { case red, green }

  private class Animal: Decodable {
    let name: String
    private enum CodingKeys: CodingKey { case name }
  }

  private final class Dog: Animal {
    let colours: [Colour?]
    private enum CodingKeys: CodingKey { case colours }

    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      var list = try container.nestedUnkeyedContainer(forKey: .colours)
      var colours: [Colour?] = []
      while !list.isAtEnd { colours.append(try list.decodeNil() ? nil : list.decode(Colour.self)) }
      self.colours = colours
      try super.init(from: container.superDecoder())
    }
  }

  private struct Pair: Decodable, Equatable {
    var first: Int
    var second: String

    init(from decoder: any Decoder) throws {
      var list = try decoder.unkeyedContainer()
      first = try list.decode(Int.self)
      var rest = try list.nestedUnkeyedContainer()
      second = try rest.decode(String.self)
    }
  }

  private struct Camel: Decodable, Equatable {
    var userId: Int?
    var createdAt: String?
    var plain: Bool?
    var _private: Int?
    var aBC: Int?
    var nested: [String: Int]?
  }

  private static func same<T: Decodable & Equatable>(_ type: T.Type, _ text: String, _ keys: JSONCoding.Keys = .asSpelled) {
    let foundation = JSONDecoder()
    if keys == .snakeCase { foundation.keyDecodingStrategy = .convertFromSnakeCase }
    let expected = try? foundation.decode(type, from: Data(text.utf8))
    #expect((try? JSONCoding.decode(type, from: Array(text.utf8), keys: keys)) == expected, "\(text)")
  }

  /// Other readers of JSON round a larger integer (RFC 8259 §6), and sums of such numbers would overflow.
  @Test(arguments: ["9007199254740993", "-9007199254740993", "9223372036854775807", "18446744073709551615", "9.1e15"])
  func anIntegerBeyondTheExactOnesIsRefused(number: String) throws {
    #expect(throws: JSONError.self) { try JSONCoding.decode([Int].self, from: Array("[\(number)]".utf8)) }
    #expect(throws: JSONError.self) { try JSONCoding.decode([UInt64].self, from: Array("[\(number)]".utf8)) }
    #expect(try JSONCoding.decode([Int].self, from: Array("[9007199254740992,-9007199254740992]".utf8)).count == 2)
  }

  @Test(
    arguments: [
      #"{"a":-128}"#, #"{"a":128}"#, #"{"a":1.0}"#, #"{"a":1e2}"#, #"{"a":1.5}"#, #"{"a":null}"#, #"{"a":"1"}"#, #"{"a":true}"#,
      #"{"b":18446744073709551616}"#, #"{"b":-1}"#, #"{"b":0}"#,
      #"{"c":1e308}"#, #"{"c":0.1}"#, #"{"c":-0}"#, #"{"c":7}"#, #"{"c":"NaN"}"#, #"{"d":0.1}"#, #"{"d":16777217}"#,
      #"{"e":[]}"#, #"{"e":[1,2,3]}"#, #"{"e":[1,null]}"#, #"{"e":{}}"#, #"{"e":[[1]]}"#, #"{"e":[1,2.0,3e1]}"#,
      #"{"f":{"1":true,"255":false}}"#, #"{"f":{"256":true}}"#, #"{"f":[]}"#, #"{"g":4294967296}"#, #"{"h":2147483648}"#, "{}",
      "[]",
      "null", "1", #"{"unknown":{"a":[1,{"b":2}]},"a":3}"#,
    ])
  func numbersAndListsAreReadAsFoundationReadsThem(text: String) { Self.same(Numbers.self, text) }

  @Test(
    arguments: [
      #"{"user_id":1}"#, #"{"userId":1}"#, #"{"created_at":"x","plain":true}"#, #"{"_private":1}"#, #"{"a_b_c":1}"#,
      #"{"aBC":1}"#,
      #"{"USER_ID":1}"#, #"{"user__id":1}"#, #"{"__":1}"#, #"{"us\u0065r_id":1}"#, #"{"nested":{"one":1}}"#,
    ])
  func snakeCaseIsReadAsFoundationReadsIt(text: String) { Self.same(Camel.self, text, .snakeCase) }

  @Test(
    arguments: [
      ("user_id", "userId"), ("user", "user"), ("userID", "userID"), ("USER_ID", "userId"), ("_user_id_", "_userId_"),
      ("__a__b__", "__aB__"), ("_a", "_a"), ("a_", "a_"), ("_", "_"), ("", ""), ("a_1b", "a1b"),
      ("überschrift_ähnlich", "überschriftÄhnlich"),
      ("_Ü_Ä_", "_üÄ_"),
    ])
  func membersBecomeProperties(member: String, property: String) { #expect(SnakeCase.property(member) == property) }

  @Test(arguments: [#"[1,["two"]]"#, #"[1]"#, #"[1,[]]"#, #"[1,"two"]"#, "{}", #"["1",["two"]]"#])
  func listsOfDifferentKindsAreReadInOrder(text: String) { Self.same(Pair.self, text) }

  @Test(arguments: [#""text""#, #""a\"b\\c\u00e9\ud83d\ude00""#, #""""#, "7", "null", "[]"])
  func aTextMayBeTheWholeDocument(text: String) {
    Self.same(String.self, text)
    Self.same(String?.self, text)
    Self.same([String].self, "[\(text)]")
    Self.same([String: String].self, #"{"k\u0065y":\#(text)}"#)
  }

  @Test func aClassReadsItsOwnAndItsParentsMembers() throws {
    let dog = try JSONCoding.decode(Dog.self, from: Array(#"{"colours":["red",null,"green"],"super":{"name":"Rex"}}"#.utf8))
    #expect(dog.colours == [.red, nil, .green] && dog.name == "Rex")
    #expect(throws: JSONError(.unexpectedValue, at: 18, path: "colours.1", expected: "a known value", found: "a string")) {
      try JSONCoding.decode(Dog.self, from: Array(#"{"colours":["red","blue"],"super":{"name":"Rex"}}"#.utf8))
    }
    #expect(throws: JSONError(.missingMember, at: 0, path: "super", expected: "an object", found: "nothing")) {
      try JSONCoding.decode(Dog.self, from: Array(#"{"colours":[]}"#.utf8))
    }
    #expect(throws: JSONError(.missingMember, at: 22, path: "super.name", expected: "a string", found: "nothing")) {
      try JSONCoding.decode(Dog.self, from: Array(#"{"colours":[],"super":{}}"#.utf8))
    }
  }

  @Test func aPlaceIsFoundInTheDepth() {
    let text = #"{"x":[{"y":1},{"k":{"z":[0,[1,2,{"deep":"no"}]]}}]}"#
    struct Deep: Decodable { var deep: Int }
    struct K: Decodable {
      var z: [Element]
      enum Element: Decodable {
        case other
        case list([Element])
        case deep(Deep)
        init(from decoder: any Decoder) throws {
          if let list = try? decoder.unkeyedContainer(), list.count == 3 {
            self = .list(try [Element](from: decoder))
          } else if (try? decoder.container(keyedBy: JSONCodingKey.self)) != nil {
            self = .deep(try Deep(from: decoder))
          } else {
            self = .other
          }
        }
      }
    }
    struct X: Decodable { var k: K? }
    struct Root: Decodable { var x: [X] }
    #expect(throws: JSONError(.unexpectedValue, at: 40, path: "x.1.k.z.1.2.deep", expected: "an integer", found: "a string")) {
      try JSONCoding.decode(Root.self, from: Array(text.utf8))
    }
  }
}
