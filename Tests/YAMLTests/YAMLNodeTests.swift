import Testing

@testable import YAML

/// Texts as they are read, and their errors.
struct YAMLNodeTests {
  private static let options = YAMLOptions(maximumBytes: 4096, maximumNodes: 1000, maximumDepth: 20, allowsAliases: true)

  /// A text in one line: scalars with the first letter of their kind, `[ ]` and `{ }`.
  private func read(_ text: String, aliases: Bool = true) throws(YAMLError) -> String {
    var options = Self.options
    options.allowsAliases = aliases
    return describe(try YAMLNode(parsing: Array(text.utf8), options))
  }

  private func describe(_ node: YAMLNode) -> String {
    switch node.content {
    case .sequence(let elements): "[\(elements.map(describe).joined(separator: " "))]"
    case .mapping(let members): "{\(members.map { "\($0.key)=\(describe($0.value))" }.joined(separator: " "))}"
    case .scalar(let scalar):
      switch scalar.value {
      case .null: "null"
      case .bool(let value): "\(value)"
      case .integer(let digits): "i:\(digits)"
      case .decimal(let digits): "d:\(digits)"
      case .notFinite: "n:\(scalar.text)"
      case .text: "t:\(scalar.text)"
      }
    }
  }

  private func error(_ text: String, aliases: Bool = true) -> String? {
    do throws(YAMLError) {
      _ = try read(text, aliases: aliases)
      return nil
    } catch { return error.description }
  }

  @Test(arguments: [
    ("", "null"), ("~", "null"), ("null", "null"), ("Null", "null"), ("nULL", "t:nULL"), ("# nothing", "null"),
    ("true", "true"), ("False", "false"), ("yes", "t:yes"), ("on", "t:on"), ("Off", "t:Off"), ("y", "t:y"),
    ("012", "i:12"), ("-0", "i:-0"), ("+7", "i:7"), ("0o14", "i:12"), ("0x1F", "i:31"), ("0o8", "t:0o8"), ("-0x1", "t:-0x1"),
    ("0x", "t:0x"), ("0b1", "t:0b1"), ("1_000", "t:1_000"), ("12:30", "t:12:30"), ("9007199254740993", "i:9007199254740993"),
    ("1.0", "d:1.0"), (".5", "d:0.5"), ("-1.", "d:-1.0"), ("012.50", "d:12.50"), ("1e3", "d:1.0e3"), ("1E-3", "d:1.0e-3"),
    ("1e", "t:1e"), (".", "t:."), ("..", "t:.."), ("-", "[null]"), ("--", "t:--"), ("1.2.3", "t:1.2.3"), ("1.0e3x", "t:1.0e3x"),
    (".inf", "n:.inf"), ("-.INF", "n:-.INF"), (".NaN", "n:.NaN"), ("-.nan", "t:-.nan"),
    ("2020-01-01", "t:2020-01-01"), ("\"12\"", "t:12"), ("'true'", "t:true"), ("\"\"", "t:"), ("|\n  12\n", "t:12\n"),
    ("=", "t:="), ("\u{FEFF}a: 1", "{a=i:1}"),
  ])
  func plainScalarsFollowCoreSchema(text: String, value: String) throws {
    #expect(try read(text) == value)
  }

  @Test func documentKeepsOrderAndSpelling() throws {
    #expect(
      try read("b: 1\na:\n- x: [1, 'y']\n  200: {}\n- >-\n  two\n  lines\n") == "{b=i:1 a=[{x=[i:1 t:y] 200={}} t:two lines]}")
    #expect(try read("--- {\"a\": \"b\", c: }\n...\n") == "{a=t:b c=null}")
    #expect(try read("? a long key\n: {identifier}\n") == "{a long key={identifier=null}}")
    #expect(
      try read("filter[x]: \"*b* \u{E000}\"\n\"@type\": c*\n\"<<\": |-\n  **d**\n  - *\n")
        == "{filter[x]=t:*b* \u{E000} @type=t:c* <<=t:**d**\n- *}")
    #expect(try read(#"a: "*\uE000\uE001\U0000E002""#) == "{a=t:*\u{E000}\u{E001}\u{E002}}")
  }

  @Test func placesAreLinesAndColumns() throws {
    #expect(error("# é\r\na:\r\n  - \"ü\": *b\r\n") == "the alias *b has no anchor before it, at line 3, column 10")
    let root = try YAMLNode(parsing: Array("# é\na:\n  - {\"ü*\": é, b: 2}\n".utf8), Self.options)
    guard case .mapping(let members) = root.content, case .sequence(let elements) = members[0].value.content,
      case .mapping(let inner) = elements[0].content
    else {
      Issue.record("another shape")
      return
    }
    #expect(root.place == YAMLPlace(line: 2, column: 1))
    #expect(elements[0].place == YAMLPlace(line: 3, column: 5))
    #expect(inner.map(\.place) == [YAMLPlace(line: 3, column: 6), YAMLPlace(line: 3, column: 15)])
    #expect(inner.map(\.value.place) == [YAMLPlace(line: 3, column: 12), YAMLPlace(line: 3, column: 18)])
  }

  @Test func aliasIsTheValueOfTheLastAnchor() throws {
    #expect(try read("a: &x {k: 1}\nb: *x\nc: &x 2\nd: [*x, *x]") == "{a={k=i:1} b={k=i:1} c=i:2 d=[i:2 i:2]}")
    #expect(try read("&x key: 1\nother: *x") == "{key=i:1 other=t:key}")
    #expect(try read("a: &e\nb: *e") == "{a=null b=null}")
  }

  @Test(arguments: [
    ("a: 1\nb: 2\na: 3\n", "duplicate key a, at line 1, column 1"),
    ("a: {x*: 1, \"x*\": 2}", "duplicate key x*, at line 1, column 5"),
    ("a: 1\n---\nb: 2\n", "a second document begins here, at line 2, column 1"),
    ("b: 1\n<<: {a: 1}", "merge keys (<<) are not supported, at line 2, column 1"),
    ("a: !!str 1", "tags (!) are not supported, at line 1, column 4"),
    ("a: ! 12", "tags (!) are not supported, at line 1, column 4"),
    ("a: !!str \"x\"", "tags (!) are not supported, at line 1, column 4"),
    ("!local {a: 1}", "tags (!) are not supported, at line 1, column 1"),
    ("!!str a: 1", "tags (!) are not supported, at line 1, column 1"),
    ("a: &x\n  # why\n  !!map {a: 1}", "tags (!) are not supported, at line 1, column 4"),
    ("[a, b]: 1", "a key must be a text, at line 1, column 1"),
    ("b: &k v\n*k : x", "a key must be a text, at line 2, column 1"),
    ("a: *b", "the alias *b has no anchor before it, at line 1, column 4"),
    ("&a [*a]", "the alias *a has no anchor before it, at line 1, column 5"),
    ("a: 0x1ffffffffffffffff", "a number has more than 64 bits, at line 1, column 4"),
    ("a: b: c", "mapping values are not allowed in this context, at line 1, column 5"),
    ("a: [1, 2\nb: 3", "did not find expected ',' or ']', at line 2, column 2"),
    ("a: 1\n\tb: 2", "found a tab character that violates indentation, at line 2, column 1"),
    ("a: \u{0}", "control characters are not allowed, at line 1, column 4"),
  ])
  func whatIsNotAcceptedHasItsPlace(text: String, expected: String) {
    #expect(error(text) == expected)
  }

  @Test(arguments: [("a: 1\nb: &x 2", 2), ("a: *x", 1), ("&x a: 1", 1)])
  func anchorsAndAliasesCanBeForbidden(text: String, line: Int) {
    #expect(
      error(text, aliases: false)?.hasPrefix("anchors and aliases (& and *) are not allowed here, at line \(line),") == true)
    #expect(error("a: \"*x & y\"", aliases: false) == nil)
  }

  @Test func limitsHold() throws {
    #expect(error("a: \"\(String(repeating: "x", count: 5000))\"") == "larger than 4 KiB")
    #expect(
      error("[\(String(repeating: "a,", count: 1000))]") == "more than 1000 values, with aliases followed, at line 1, column 2000"
    )
    #expect(
      error("\(String(repeating: "[", count: 21))\(String(repeating: "]", count: 21))")
        == "nested too deeply, at line 1, column 21")
    #expect(error("a: &a [[[[[[[[[[1]]]]]]]]]]\nb: [[[[[[[[[[[*a]]]]]]]]]]]") == "nested too deeply, at line 2, column 15")
    #expect(error("\u{FFFD}") == nil)
    #expect(throws: YAMLError(.invalidUTF8)) { try YAMLNode(parsing: [0x61, 0xFF], Self.options) }
  }

  /// Followed, the aliases of each text are more than 10^18 values.
  @Test(arguments: ["", "? *a20\n: 1", "? [*a20]\n: 1"])
  func aliasesOfAliasesAreRefusedBeforeTheyAreFollowed(end: String) {
    var text = "a0: &a0 [x]\n"
    for index in 1...20 {
      text += "a\(index): &a\(index) [\(Array(repeating: "*a\(index - 1)", count: 9).joined(separator: ","))]\n"
    }
    #expect(error(text + end)?.hasPrefix("more than 1000 values, with aliases followed, at line 4,") == true)
  }

  /// Yams would need minutes.
  @Test(arguments: ["? ", "[", "{a: "])
  func slowTextsAreRefused(level: String) {
    let text = String(repeating: level, count: 900) + "[" + String(repeating: "a,", count: 1_000_000) + "]"
    let options = YAMLOptions(maximumBytes: 4 << 20, maximumNodes: 100_000, maximumDepth: 512, allowsAliases: true)
    #expect(throws: YAMLError(.tooDeep)) { try YAMLNode(parsing: Array(text.utf8), options) }
  }
}
