import Testing

@testable import Observability

/// A document that arrives in pieces is split into the elements of its array, wherever the pieces end.
@Suite(.timeLimit(.minutes(1))) struct JSONElementsTests {
  private func parts(_ text: String, piece size: Int = .max) throws -> [JSONElements.Part] {
    var elements = JSONElements()
    var parts: [JSONElements.Part] = []
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      try elements.add(rest.prefix(size)) { parts.append($0) }
      rest = rest.dropFirst(size)
    }
    try elements.finish()
    return parts
  }

  private func texts(_ parts: [JSONElements.Part]) -> [String] {
    parts.map { part in
      switch part {
      case .element(let bytes, let line): "\(line): \(String(decoding: bytes, as: UTF8.self))"
      case .creator(let bytes): "creator: \(String(decoding: bytes, as: UTF8.self))"
      }
    }
  }

  private func reason(_ text: String) -> ImportError.Reason? {
    do {
      _ = try parts(text)
      return nil
    } catch { return (error as? ImportError)?.reason }
  }

  static let har = """
    \u{FEFF}{"log":{"version":"1.2","creator":{"name":"A","version":"[1]"},"pages":[{"entries":[{"no":1}]}],
    "entries":[{"a":"}]\\"{","b":[1,{"entries":[]}]} ,
    {"log":{"entries":[2]}}],"comment":"entries"}, "entries":[{"no":2}]}
    """

  @Test(arguments: [1, 2, 3, 7, 64, 100_000]) func aHARGivesItsEntriesAndItsCreator(size: Int) throws {
    #expect(
      texts(try parts(Self.har, piece: size)) == [
        #"creator: {"name":"A","version":"[1]"}"#, #"2: {"a":"}]\"{","b":[1,{"entries":[]}]}"#, #"3: {"log":{"entries":[2]}}"#,
      ])
  }

  @Test func anArrayGivesItsElements() throws {
    #expect(texts(try parts(" [ {} ,\n{\"a\":[]}]\n")) == ["1: {}", #"2: {"a":[]}"#])
    #expect(try parts("[]").isEmpty && parts(#"{"log":{"entries":[]}}"#).isEmpty)
  }

  @Test(arguments: [
    ("", ImportError.Reason.endsEarly), ("{", .endsEarly), ("[{}", .endsEarly), (#"[{"a":"#, .endsEarly), (#"[{"a"#, .endsEarly),
    ("{}", .notHAR), (#"{"log":{"entries":{}}}"#, .notHAR), (#"{"log":[]}"#, .notHAR), (#"{"entries":[{}]}"#, .notHAR),
    ("[[]]", .notHAR), ("[1]", .notHAR), (#"["a"]"#, .notHAR), ("nope", .notJSON), ("1", .notHAR), (#""a""#, .notHAR),
    ("null", .notHAR), ("true", .notHAR), ("-5.5", .notHAR), (" 5\n", .notHAR), ("[{},null]", .notHAR), ("[nope]", .notJSON),
    (#"{"log":{"entries":[1,null]}}"#, .notHAR), ("nul", .notJSON), ("<html>", .notJSON), ("5x", .notJSON), ("-", .notJSON),
    ("[}", .notJSON), ("[]]", .notJSON), ("[][]", .notJSON), ("[]x", .notJSON),
    (#"{"log":{"entries":[],"entries":[]}}"#, .notHAR),
  ]) func anythingElseIsRefused(text: String, expected: ImportError.Reason) {
    #expect(reason(text) == expected, "\(text)")
  }

  @Test func depthIsLimited() {
    #expect(reason("[{" + String(repeating: #""a":{"#, count: 600)) == .notJSON)
  }
}
