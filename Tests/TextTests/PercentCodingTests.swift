import Testing
import Text

/// RFC 3986 §2.1, §2.3 and §6.2.2.
struct PercentCodingTests {
  @Test func encodesAllButUnreservedCharacters() {
    let unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
    #expect(PercentCoding.encode(unreserved) == unreserved)
    #expect(PercentCoding.encode(":/?#[]@!$&'()*+,;=") == "%3A%2F%3F%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D")
    #expect(PercentCoding.encode("a b/ä~") == "a%20b%2F%C3%A4~")
    // RFC 3986 §2.5.
    #expect(PercentCoding.encode("À") == "%C3%80" && PercentCoding.encode("ア") == "%E3%82%A2")
    #expect(PercentCoding.encode("a/b?".utf8) { $0 != UInt8(ascii: "?") } == "a/b%3F")
  }

  @Test func everyByteComesBack() {
    for byte in UInt8(1)...127 {
      let text = String(Unicode.Scalar(byte))
      #expect(PercentCoding.decode(PercentCoding.encode(text)) == text)
    }
  }

  @Test func decodes() {
    #expect(PercentCoding.decode("a%20b%2F") == "a b/")
    #expect(PercentCoding.decode("%c3%A4") == "ä")
    #expect(PercentCoding.decode("%2541") == "%41")
    #expect(PercentCoding.decode("a+b") == "a+b")
    #expect(PercentCoding.decode("a+b", plusIsSpace: true) == "a b")
  }

  @Test(arguments: ["%", "%2", "%zz", "%00", "\0", "%ff", "%c3", "%+1", "%%20"])
  func refusesWhatIsNoText(text: String) { #expect(PercentCoding.decode(text) == nil) }

  @Test func lenientDecodingLeavesIncompleteEscapes() {
    #expect(PercentCoding.decodeLeniently("%41%4%zz%%42%".utf8) == Array("A%4%zz%B%".utf8))
    #expect(PercentCoding.decodeLeniently("%00%ff".utf8) == [0, 0xff])
    #expect(PercentCoding.decodeLeniently("%C3%a4%4%ff") == "ä%4\u{fffd}")
    #expect(PercentCoding.isWellFormed("a%2f%00") && PercentCoding.isWellFormed(""))
    for text in ["%", "a%4", "%zz", "%%41", "%41%"] { #expect(!PercentCoding.isWellFormed(text), "\(text)") }
  }

  @Test func normalizesEscapes() {
    #expect(PercentCoding.normalize("/%7euser/%2f%c3%a4") == "/~user/%2F%C3%A4")
    #expect(PercentCoding.normalize("/a+b/../c") == "/a+b/../c")
    #expect(PercentCoding.normalize("%4%zz%") == "%4%zz%")
  }
}
