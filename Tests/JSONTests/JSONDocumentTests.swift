import Testing

@testable import JSON

/// The grammar of RFC 8259: documents that are accepted, and documents that are refused with reason and offset.
struct JSONDocumentTests {
  @Test(arguments: [
    "null", "true", "false", "0", "-0", "1", "-1", "10", "0.5", "-0.5", "1e5", "1E5", "1e+5", "1e-5", "0e0", "0.0e00", "1.25E+02",
    "123456789012345678901234567890", "1e999", "\"\"", "\"a\"", "[]", "{}", "[[]]", "[{}]", "{\"\":0}", "{\"a\":{}}", "[1,2,3]",
    " \t\r\n[ \t\r\n1 \t\r\n, \t\r\n2 \t\r\n] \t\r\n", "{ \"a\" : 1 , \"b\" : [ ] }", "[null,true,false,\"\",0,[],{}]",
    #""\"\\\/\b\f\n\r\t""#, #""\u0000\u001f\u00e9\uFFFF""#, #""\ud83d\ude00""#, #""\uD83D\uDE00""#, "\"\u{7f}\"",
    "\"é€😀\u{10FFFF}\"",
    "{\"a\":1,\"A\":2}", "\"\u{2028}\u{2029}\"", "[\"\u{FEFF}\"]",
  ])
  func validDocumentsAreRead(text: String) throws {
    let document = try JSONDocument(parsing: Array(text.utf8))
    #expect(document.root.span.count <= text.utf8.count)
    #expect(document.bytes == Array(text.utf8))
  }

  @Test(
    arguments: [
      ("", .unexpectedEnd, 0), (" ", .unexpectedEnd, 1), ("[", .unexpectedEnd, 1), ("{", .unexpectedEnd, 1),
      ("[1", .unexpectedEnd, 2),
      ("[1,", .unexpectedEnd, 3), ("{\"a\"", .unexpectedEnd, 4), ("{\"a\":", .unexpectedEnd, 5), ("{\"a\":1", .unexpectedEnd, 6),
      ("{\"a\":1,", .unexpectedEnd, 7), ("\"", .unexpectedEnd, 1), ("\"a", .unexpectedEnd, 2), ("\"\\", .unexpectedEnd, 2),
      ("\"\\u00", .unexpectedEnd, 5), ("t", .unexpectedEnd, 1), ("nul", .unexpectedEnd, 3), ("-", .unexpectedEnd, 1),
      ("1.", .unexpectedEnd, 2), ("1e", .unexpectedEnd, 2), ("1e+", .unexpectedEnd, 3),
      ("\u{FEFF}1", .unexpectedByte, 0), ("]", .unexpectedByte, 0), ("}", .unexpectedByte, 0), (",", .unexpectedByte, 0),
      (":", .unexpectedByte, 0), ("[1 2]", .unexpectedByte, 3), ("[,]", .unexpectedByte, 1), ("[1,]", .unexpectedByte, 3),
      ("[1,,2]", .unexpectedByte, 3), ("{,}", .unexpectedByte, 1), ("{\"a\":1,}", .unexpectedByte, 7),
      ("{a:1}", .unexpectedByte, 1),
      ("{'a':1}", .unexpectedByte, 1), ("{1:1}", .unexpectedByte, 1), ("{\"a\" 1}", .unexpectedByte, 5),
      ("{\"a\",1}", .unexpectedByte, 4),
      ("{\"a\"::1}", .unexpectedByte, 5), ("{\"a\"}", .unexpectedByte, 4), ("{\"a\":}", .unexpectedByte, 5),
      ("[1}", .unexpectedByte, 2),
      ("{\"a\":1]", .unexpectedByte, 6), ("True", .unexpectedByte, 0), ("trux", .unexpectedByte, 3), ("nan", .unexpectedByte, 1),
      ("NaN", .unexpectedByte, 0), ("Infinity", .unexpectedByte, 0), ("undefined", .unexpectedByte, 0),
      ("+1", .unexpectedByte, 0),
      (".5", .unexpectedByte, 0), ("// a\n1", .unexpectedByte, 0), ("[1/* */]", .unexpectedByte, 2),
      ("\u{0B}1", .unexpectedByte, 0),
      ("\u{A0}1", .unexpectedByte, 0), ("[1\u{0C}]", .unexpectedByte, 2), ("[\u{0}]", .unexpectedByte, 1),
      ("'a'", .unexpectedByte, 0),
      ("1 2", .trailingBytes, 2), ("{} {}", .trailingBytes, 3), ("null,", .trailingBytes, 4), ("[]]", .trailingBytes, 2),
      ("\"\"\"", .trailingBytes, 2), ("0x10", .trailingBytes, 1), ("1a", .trailingBytes, 1), ("1\u{0}", .trailingBytes, 1),
      ("00", .invalidNumber, 1), ("01", .invalidNumber, 1), ("-01", .invalidNumber, 2), ("-a", .invalidNumber, 1),
      ("--1", .invalidNumber, 1), ("-Infinity", .invalidNumber, 1), ("1.e5", .invalidNumber, 2), ("1.a", .invalidNumber, 2),
      ("1ea", .invalidNumber, 2), ("1e++1", .invalidNumber, 3), ("[-]", .invalidNumber, 2), ("[1.]", .invalidNumber, 3),
      ("\"\u{1f}\"", .controlCharacter, 1), ("\"a\n\"", .controlCharacter, 2), ("\"\u{0}\"", .controlCharacter, 1),
      ("\"\t\"", .controlCharacter, 1), ("{\"\n\":1}", .controlCharacter, 2),
      (#""\a""#, .invalidEscape, 1), (#""\'""#, .invalidEscape, 1), (#""\x41""#, .invalidEscape, 1),
      (#""\U0041""#, .invalidEscape, 1),
      (#""\u00g0""#, .invalidEscape, 1), (#""\u+123""#, .invalidEscape, 1), (#""\ud83d\u12""#, .invalidEscape, 7),
      (#""\ud800""#, .loneSurrogate, 1), (#""\udc00""#, .loneSurrogate, 1), (#""\ud800\ud800""#, .loneSurrogate, 1),
      (#""\ud800a""#, .loneSurrogate, 1), (#""\ud800\n""#, .loneSurrogate, 1), (#""a\ud800\u0041""#, .loneSurrogate, 2),
      (#"{"\ud800":1}"#, .loneSurrogate, 2), ("{\"a\":1,\"a\":1}", .duplicateKey, 7), (#"{"a":1,"\u0061":1}"#, .duplicateKey, 7),
      ("{\"\":1,\"\":1}", .duplicateKey, 6), ("[{\"a\":{\"b\":1,\"c\":2,\"b\":3}}]", .duplicateKey, 19),
      ("{\"\u{e9}\":1,\"e\u{301}\":2}", .duplicateKey, 8),
    ] as [(String, JSONError.Reason, Int)])
  func invalidDocumentsAreRefused(text: String, reason: JSONError.Reason, offset: Int) {
    #expect(throws: JSONError(reason, at: offset)) { try JSONDocument(parsing: Array(text.utf8)) }
  }

  @Test(
    arguments: [
      [0x80], [0xbf], [0xc0, 0x80], [0xc1, 0xbf], [0xc3, 0x28], [0xe0, 0x80, 0x80], [0xe0, 0x9f, 0xbf], [0xed, 0xa0, 0x80],
      [0xed, 0xbf, 0xbf], [0xe2, 0x28, 0xa1], [0xe2, 0x82, 0x28], [0xf0, 0x80, 0x80, 0x80], [0xf0, 0x8f, 0xbf, 0xbf],
      [0xf4, 0x90, 0x80, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xf8, 0x88, 0x80, 0x80, 0x80], [0xfe], [0xff], [0xc3, 0x22],
    ] as [[UInt8]])
  func bytesThatAreNoUTF8AreRefused(bytes: [UInt8]) {
    #expect(throws: JSONError(.invalidUTF8, at: 1)) { try JSONDocument(parsing: [0x22] + bytes + [0x22, 0x20, 0x20]) }
    #expect(throws: JSONError.self) { try JSONDocument(parsing: bytes) }
  }

  @Test func aCharacterCutByTheEndIsRefused() {
    for bytes in [[0xc3], [0xe2, 0x82], [0xf0, 0x9f, 0x98]] as [[UInt8]] {
      #expect(throws: JSONError(.unexpectedEnd, at: bytes.count + 1)) { try JSONDocument(parsing: [0x22] + bytes) }
    }
  }

  @Test func everyScalarIsReadRawAndEscaped() throws {
    for value in stride(from: UInt32(0x20), through: 0x10ffff, by: 37) {
      guard let scalar = Unicode.Scalar(value), scalar != "\"", scalar != "\\" else { continue }
      let text = String(scalar)
      #expect(try JSONDocument(parsing: Array("\"\(text)\"".utf8)).root.string == text)
      let escaped = text.utf16.map {
        "\\u" + String(repeating: "0", count: 4 - String($0, radix: 16).count) + String($0, radix: 16)
      }
      #expect(try JSONDocument(parsing: Array("\"\(escaped.joined())\"".utf8)).root.string == text)
    }
  }

  @Test func theDepthIsLimitedToTheByte() throws {
    func nested(_ depth: Int) -> [UInt8] {
      Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
    }
    _ = try JSONDocument(parsing: nested(64))
    #expect(throws: JSONError(.tooDeep, at: 64)) { try JSONDocument(parsing: nested(65)) }
    _ = try JSONDocument(parsing: Array("1".utf8), maximumDepth: 0)
    #expect(throws: JSONError(.tooDeep, at: 0)) { try JSONDocument(parsing: nested(1), maximumDepth: 0) }
    #expect(throws: JSONError(.tooDeep, at: 5)) { try JSONDocument(parsing: Array("{\"a\":{}}".utf8), maximumDepth: 1) }
  }

  /// Recursion would overflow the stack.
  @Test func aMillionBracketsDoNotOverflowTheStack() throws {
    let depth = 1_000_000
    let brackets = Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
    #expect(throws: JSONError(.tooDeep, at: 64)) { try JSONDocument(parsing: brackets) }
    #expect(try JSONDocument(parsing: brackets, maximumDepth: depth).root.elements.count == 1)
  }

  /// No prefix of a document is valid, and no changed byte traps.
  @Test func cutAndChangedDocumentsDoNotTrap() throws {
    let bytes = Array(#"{"a":[1,-2.5e3,true,null,"\ud83d\ude00é"],"b":{"c":""}}"#.utf8)
    for count in 0..<bytes.count { #expect(throws: JSONError.self) { try JSONDocument(parsing: Array(bytes.prefix(count))) } }
    for index in bytes.indices {
      for value in UInt8.min...UInt8.max {
        var changed = bytes
        changed[index] = value
        if let document = try? JSONDocument(parsing: changed) { JSONNodeTests.walk(document.root) }
      }
    }
  }
}
