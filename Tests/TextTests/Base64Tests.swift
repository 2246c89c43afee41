import Testing
import Text

/// Base64 and Base64url with the vectors of RFC 4648 §10.
struct Base64Tests {
  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
  ])
  func base64Vectors(plain: String, text: String) {
    #expect(Base64.encode(Array(plain.utf8)) == text)
    #expect(Base64.decode(text) == Array(plain.utf8))
  }

  @Test func alphabetsDifferInTwoDigitsAndThePadding() {
    #expect(Base64.encode([0xfb, 0xff, 0xfe, 0xff]) == "+//+/w==")
    #expect(Base64URL.encode([0xfb, 0xff, 0xfe, 0xff]) == "-__-_w")
    #expect(Base64.decode("-__-_w==") == nil)
  }

  @Test func everyLengthComesBack() {
    for count in 0...70 {
      let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max) }
      #expect(Base64.decode(Base64.encode(bytes)) == bytes)
      #expect(Base64.decodeLeniently(Base64URL.encode(bytes)) == bytes)
    }
  }

  @Test(arguments: [
    "Zg", "Zg=", "Zg===", "Z===", "====", "=", "Zh==", "Zm9=", "Zg==\n", " Zg==", "Zm=v", "Zm9v Zg==", "Z", "Zm9vY", "ä",
    "Zm9\u{0}",
  ])
  func base64RefusesWhatIsNotCanonical(text: String) { #expect(Base64.decode(text) == nil) }
}
