import Testing

@testable import JSON

struct JSONNodeTests {
  /// Reads every property of a node.
  static func walk(_ node: JSONNode) {
    _ = (node.string, node.bool, node.int64, node.double, node.sourceText)
    for (key, value) in node.memberNodes {
      walk(key)
      walk(value)
    }
    for element in node.elements { walk(element) }
  }

  private static func root(_ text: String) throws -> JSONNode { try JSONDocument(parsing: Array(text.utf8)).root }

  @Test func valuesAreFoundByKeyAndPlace() throws {
    let root = try Self.root(#"{"a":[1,{"b":null},[]],"c\n":"d","e":true,"f":false,"g":{"a":2}}"#)
    #expect(root.kind == .object)
    #expect(root.count == 5)
    #expect(root.members.map(\.key) == ["a", "c\n", "e", "f", "g"])
    #expect(root["a"]?.elements.map(\.kind) == [.number, .object, .array])
    #expect(root["a"]?.elements[1]["b"]?.kind == .null)
    #expect(root["c\n"]?.string == "d")
    #expect(root["e"]?.bool == true)
    #expect(root["f"]?.bool == false)
    #expect(root["g"]?["a"]?.int64 == 2)
    #expect(root["b"] == nil)
    #expect(root["a"]?["a"] == nil)
    #expect(root.elements.isEmpty)
    #expect(root["a"]?.members.isEmpty == true)
  }

  @Test func otherKindsGiveNothing() throws {
    let number = try Self.root("1")
    #expect(number.string == nil && number.bool == nil && number.elements.isEmpty && number.members.isEmpty)
    let string = try Self.root("\"1\"")
    #expect(string.int64 == nil && string.double == nil && string.bool == nil)
    #expect(try Self.root("null").bool == nil)
  }

  @Test func spansAreThoseOfTheSource() throws {
    let text = #" {"é" : [ 1.50 , "x\ty" , { } ] } "#
    let bytes = Array(text.utf8)
    let root = try Self.root(text)
    #expect(root.span == 1..<(bytes.count - 1))
    let member = try #require(root.memberNodes.first)
    #expect(member.key.sourceText == "\"é\"")
    #expect(member.value.elements.map(\.sourceText) == ["1.50", #""x\ty""#, "{ }"])
    for element in member.value.elements { #expect(Array(element.sourceText.utf8) == Array(bytes[element.span])) }
  }

  @Test(
    arguments: [
      ("0", 0), ("-0", 0), ("7", 7), ("-7", -7), ("9223372036854775807", Int64.max), ("-9223372036854775808", Int64.min),
      ("9223372036854775808", nil), ("-9223372036854775809", nil), ("99999999999999999999", nil), ("1.0", nil), ("1e2", nil),
      ("1E400", nil),
    ] as [(String, Int64?)])
  func integersAreExactOrNothing(text: String, value: Int64?) throws { #expect(try Self.root(text).int64 == value) }

  @Test(
    arguments: [
      ("0", 0), ("-0.0", -0.0), ("1e2", 100), ("0.1", 0.1), ("1e308", 1e308), ("1e-400", 0), ("1e999", nil), ("-1e999", nil),
    ] as [(String, Double?)])
  func doublesAreFiniteOrNothing(text: String, value: Double?) throws { #expect(try Self.root(text).double == value) }

  @Test func quotedTextIsReadBack() throws {
    let text = String(String.UnicodeScalarView((0..<0x180).compactMap(Unicode.Scalar.init))) + "\"\\/é😀‹›\u{2028}"
    let quoted = JSONStringText.quoted(text)
    #expect(try JSONDocument(parsing: quoted).root.string == text)
    #expect(String(decoding: JSONStringText.quoted("a/\u{1}\n\u{1f}"), as: UTF8.self) == #""a/\u0001\n\u001f""#)
  }

  @Test func manyMembersAreRead() throws {
    let members = (0..<20_000).map { "\"k\($0)\":\($0)" }.joined(separator: ",")
    let root = try Self.root("{\(members)}")
    #expect(root.count == 20_000)
    #expect(root["k19999"]?.int64 == 19_999)
  }
}
