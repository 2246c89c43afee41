import Testing
import Text

@testable import Client

@Suite struct SPKIPinTests {
  private let base64 = Base64.encode(Array(0..<32))

  @Test(arguments: ["sha256/", "sha256//", ""])
  func readsEveryForm(prefix: String) throws {
    let pin = try #require(SPKIPin(prefix + base64))
    #expect(pin.digest == Array(0..<32))
    #expect(pin.description == "sha256/" + base64)
  }

  @Test func aDigestThatBeginsWithASlashIsReadInBothForms() throws {
    let digest = [0xff] + [UInt8](repeating: 7, count: 31)
    let text = Base64.encode(digest)
    #expect(text.hasPrefix("/"))
    #expect(SPKIPin("sha256//" + text)?.digest == digest)
    #expect(SPKIPin("sha256/" + text)?.digest == digest)
    #expect(SPKIPin(text)?.digest == digest)
  }

  @Test func refusesAllElse() {
    let twentyBytes = Base64.encode(Array(0..<20))
    for text in [
      "", "sha256/", "sha1/" + twentyBytes, "sha1/" + base64, twentyBytes, "sha256/" + twentyBytes, "SHA256/" + base64,
      "sha256/ " + base64, base64 + "\n", String(base64.dropLast()), "sha256///" + base64, "sha512/" + base64,
    ] {
      #expect(SPKIPin(text) == nil, "\(text)")
    }
  }
}
