import Testing
import Text

struct HexTests {
  @Test func encodesAndDecodes() {
    #expect(Hex.encode([0x00, 0x0f, 0xa5, 0xff]) == "000fa5ff")
    #expect(Hex.decode("000FA5ff") == [0x00, 0x0f, 0xa5, 0xff])
    for text in ["0", "0g", "g0", "0x00", " 00", "００"] { #expect(Hex.decode(text) == nil) }
  }

  /// RFC 4648 §10, which writes upper case.
  @Test(arguments: [("", ""), ("f", "66"), ("foo", "666F6F"), ("foobar", "666F6F626172")])
  func vectors(plain: String, text: String) {
    #expect(Hex.encode(Array(plain.utf8)) == text.lowercased())
    #expect(Hex.decode(text) == Array(plain.utf8))
  }

  @Test func everyByteComesBack() {
    let bytes = (UInt8.min ... .max).map { $0 }
    #expect(Hex.decode(Hex.encode(bytes)) == bytes)
    #expect(bytes.allSatisfy { Hex.value(of: Hex.upperCaseDigit($0 & 15)) == $0 & 15 })
    #expect(bytes.count { Hex.value(of: $0) != nil } == 22)
  }
}
