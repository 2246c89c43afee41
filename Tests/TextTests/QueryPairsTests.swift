import Testing
import Text

struct QueryPairsTests {
  @Test func reads() {
    let pairs = QueryPairs.parse("a=1&b&&c=x+y%3D=z&a[b]=2")
    #expect(pairs?.map(\.0) == ["a", "b", "c", "a[b]"])
    #expect(pairs?.map(\.1) == ["1", "", "x y==z", "2"])
    #expect(QueryPairs.parse("")?.isEmpty == true)
    #expect(QueryPairs.parse("a=%ff") == nil)
    #expect(QueryPairs.parse(String(repeating: "a&", count: 101)) == nil)
  }

  @Test func writes() {
    #expect(QueryPairs.format([("q", "a b&c"), ("ä", "")]) == "q=a%20b%26c&%C3%A4=")
    #expect(QueryPairs.format([]) == nil)
  }
}
