import Testing
import Wire

@Suite struct FieldGrammarTests {
  @Test(
    arguments: [
      (nil, false), ("", false), ("gzip", true), ("GZIP", true), ("x-gzip", true), ("br, gzip;q=0.5", true), ("gzip;q=0", false),
      ("gzip; q=0.000", false), ("*", true), ("*;q=0", false), ("gzip;q=0.3, identity;q=0.9", false), ("notgzip", false),
      ("gzip;q=1.5", false), ("gzip;q=-1", false), ("gzip;q=0.0001", false), ("identity;q=0, gzip", true), ("deflate", false),
    ] as [(String?, Bool)])
  func acceptEncoding(_ value: String?, _ expected: Bool) {
    #expect(AcceptEncoding(value).prefersGzip == expected)
  }

  @Test func weights() {
    let accept = AcceptEncoding("gzip;q=0.25, br;Q=1.000 ,*;q=0.1")
    #expect(accept.weight(of: "gzip") == 250 && accept.weight(of: "br") == 1000 && accept.weight(of: "zstd") == 100)
    #expect(AcceptEncoding("identity;q=0").weight(of: "identity") == 0)
    #expect(AcceptEncoding(nil).weight(of: "identity") > 0)
  }

  @Test func entityTagLists() {
    let tag = EntityTag(opaque: "a")
    #expect(EntityTagCondition("*") == .any)
    #expect(EntityTagCondition("\"a\"") == .tags([tag]))
    #expect(EntityTagCondition(" , W/\"a\" ,, \"b,c\"") == .tags([.init(opaque: "a", isWeak: true), .init(opaque: "b,c")]))
    #expect(EntityTagCondition("W/\"a\"")?.matchesWeakly(tag) == true)
    #expect(EntityTagCondition("W/\"a\"")?.matchesStrongly(tag) == false)
    for bad in ["", "a", "\"a", "\"a\"\"b\"", "w/\"a\"", "W\"a\"", "*, \"a\"", "W/", "W", "\"a b\"", ","] {
      #expect(EntityTagCondition(bad) == nil, "\(bad)")
    }
    #expect(EntityTagCondition(String(repeating: "\"a\",", count: 1025)) == nil)
  }

  @Test func serverSentEvents() {
    let event = ServerSentEvent(id: "e-1\nx", event: "net\rwork", data: Array("a\nb\r\nc\rd".utf8)).encode()
    #expect(String(decoding: event, as: UTF8.self) == "id: e-1x\nevent: network\ndata: a\ndata: b\ndata: c\ndata: d\n\n")
    #expect(String(decoding: ServerSentEvent(event: "x", data: []).encode(), as: UTF8.self) == "event: x\ndata: \n\n")
    #expect(String(decoding: ServerSentEvent.comment("a\nb"), as: UTF8.self) == ": ab\n\n")
  }
}
