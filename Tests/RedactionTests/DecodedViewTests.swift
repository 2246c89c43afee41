import Testing

@testable import Redaction

struct DecodedViewTests {
  @Test func everyEscapeIsDecodedWithItsPlace() throws {
    let text = Array(#"a%41\u0042\"%5c\ud83d\ude00%zz\x%4"#.utf8)
    let views = DecodedView.all(of: text).map { String(decoding: $0.bytes, as: UTF8.self) }
    #expect(views.contains(#"aAB"\😀%zz\x%4"#))
    let view = try #require(DecodedView.all(of: text).first { $0.bytes.starts(with: Array(#"aAB""#.utf8)) })
    #expect(String(decoding: text[view.source(of: 1..<2)], as: UTF8.self) == "%41")
    #expect(String(decoding: text[view.source(of: 2..<4)], as: UTF8.self) == #"\u0042\""#)
  }

  @Test(arguments: [
    ("&#65;&#x42;&#X43;&amp;&quot;&commat;", "ABC&\"@"), ("&#1114111;", "\u{10ffff}"), ("&#1114112;&#xd800;&#;&#x;&none;&", nil),
    ("&#00000000000000065;", nil), ("&#233;", "é"),
  ])
  func referencesAreDecoded(text: String, decoded: String?) {
    let views = DecodedView.all(of: Array(text.utf8)).map { String(decoding: $0.bytes, as: UTF8.self) }
    #expect(views == [text] + (decoded.map { [$0] } ?? []))
  }

  @Test func aTextWithoutEscapesIsItsOnlyView() {
    #expect(DecodedView.all(of: Array("100 é".utf8)).count == 1)
    #expect(DecodedView.all(of: []).count == 1)
  }

  /// Searching a large text without offsets uses the same views as masking.
  @Test func bothLooksSeeTheSameViews() {
    let alphabet = Array("%25\\u0041\"a&#3;".utf8)
    for _ in 0..<200 {
      let text = (0..<30).map { _ in alphabet[.random(in: alphabet.indices)] }
      var seen: Set<[UInt8]> = []
      let found = DecodedView.contains(in: text) { view in
        seen.insert(view.bytes)
        return false
      }
      #expect(!found)
      #expect(seen == Set(DecodedView.all(of: text).map(\.bytes)))
    }
  }
}
