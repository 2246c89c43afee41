import JSON
import Testing

@Suite struct JSONTreeTests {
  private func text(_ tree: JSONTree) -> String { String(decoding: tree.bytes, as: UTF8.self) }

  @Test(arguments: [
    #"{"b":1,"a":[true,null,{"x":"y"}],"n":-1.50e+3}"#, "[]", "{}", #""a\"b\\\n""#, "0.10", #"{"é":"日本"}"#,
    String(repeating: "[", count: 64) + String(repeating: "]", count: 64),
  ])
  func whatIsParsedIsWrittenAsItWas(source: String) throws {
    #expect(text(try JSONTree(parsing: Array(source.utf8))) == source)
  }

  @Test(arguments: ["", "{", #"{"a":1,"a":2}"#, "[1] 2", String(repeating: "[", count: 65) + String(repeating: "]", count: 65)])
  func whatIsNotADocumentIsRefused(source: String) {
    #expect(throws: JSONError.self) { try JSONTree(parsing: Array(source.utf8)) }
  }

  @Test func membersAreChangedInTheirPlace() throws {
    var tree = try JSONTree(parsing: Array(#"{"a":1,"b":2,"c":3}"#.utf8))
    tree["b"] = .string("x")
    tree["d"] = .null
    tree["a"] = nil
    tree["e"] = nil
    #expect(text(tree) == #"{"b":"x","c":3,"d":null}"#)
    #expect(tree["b"]?.string == "x" && tree["c"]?.string == nil && tree["z"] == nil)
    var list = JSONTree.array([.number(1)])
    list["a"] = .null
    #expect(text(list) == "[1]" && list.members.isEmpty)
  }
}
