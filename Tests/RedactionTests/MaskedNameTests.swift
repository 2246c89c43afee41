import Support
import Testing

@testable import Redaction

/// Names that the user wants masked.
struct MaskedNameTests {
  private func redactor(_ names: String...) throws -> Redactor {
    let masked = try names.map { try #require(MaskedName($0)) }
    return Redactor(registry: SecretRegistry(tagKey: [1], rules: RedactionRules(masking: masked)))
  }

  @Test(arguments: [
    ("tax-number", "taxNumber"), ("tax-number", "TAX_NUMBER"), ("taxNumber", "user_tax_number"), ("taxnumber", "tax-number"),
    ("ref", "customer-ref"), ("Address2", "address2"), ("Geburtsname Müller", "geburtsname_müller"), ("住所", "住所"),
    ("message", "message"), ("tax-number", "tax_number_2"), ("tax-number", "taxNumber2"),
  ])
  func aNameIsMaskedWhateverItsSpelling(_ name: String, _ member: String) throws {
    let request = RawRequest.example(body: #"{"\#(member)":"plain","other":"plain"}"#)
    let body = try #require(try redactor(name).redact(request).message.body)
    #expect(body.hasPrefix(#"{"\#(member)":"‹value:"#) && body.hasSuffix(#","other":"plain"}"#), "\(body)")
  }

  @Test(arguments: [
    ("ref", "refund"), ("ref", "href"), ("tax-number", "number-tax"), ("tax-number", "taxNumbers"), ("address2", "address"),
    ("address2", "home_address2"),
  ])
  func partsOfWordsAreNotTheName(_ name: String, _ member: String) throws {
    let body = #"{"\#(member)":"plain"}"#
    #expect(try redactor(name).redact(.example(body: body)).message.body == body)
  }

  @Test func everyPlaceWithTheNameIsMasked() throws {
    let redactor = try redactor("tax-number", "location")
    let request = RawRequest.example(
      query: "taxNumber=plain&b=1", headers: [("Location", "/x"), ("Tax-Number", "plain")],
      body: #"{"tax_number":{"a":["plain",12,true]},"tokenType":"plain","pairs":[{"name":"tax number","value":"plain"}]}"#)
    let redacted = redactor.redact(request)
    #expect(redacted.query?.hasPrefix("taxNumber=‹value:") == true && redacted.query?.hasSuffix("&b=1") == true)
    #expect(redacted.message.headers.allSatisfy { $0.value.hasPrefix("‹value:") })
    let body = try #require(redacted.message.body)
    #expect(!body.contains("12,") && body.contains("true") && body.contains(#""tokenType":"plain""#), "\(body)")
    #expect(body.ranges(of: "plain").count == 1, "\(body)")
    let form = try #require(redactor.redact(RawRequest.example(body: "tax%2Dnumber=plain&b=1")).message.body)
    #expect(form.hasPrefix("tax%2Dnumber=‹value:") && form.hasSuffix("&b=1"), "\(form)")
  }

  /// A short name, or one with a digit, is found in free text too.
  @Test(arguments: [("id", "id=12345"), ("a1", "a1: 12345678")])
  func aNameIsFoundInText(_ name: String, _ text: String) throws {
    let body = try #require(try redactor(name).redact(.example(body: #"{"note":"\#(text)"}"#)).message.body)
    #expect(!body.contains("12345"), "\(body)")
  }

  /// A name for the value of a pair is not weaker than what the pair is called.
  @Test func aNameIsMaskedInAPairToo() throws {
    let body = #"{"name":"session","value":"plain"}"#
    let shown = try #require(try redactor("value").redact(.example(body: body)).message.body)
    #expect(shown.hasPrefix(#"{"name":"session","value":"‹value:"#), "\(shown)")
  }

  /// A thousand names cost no more for each name of a document than one does: with a comparison for each, this takes minutes.
  @Test(.enabled(if: MeasuredTime.isMeasured), .timeLimit(.minutes(1))) func manyNamesTakeNoLonger() throws {
    // Words that begin alike, and end in letters: `member-aaaaaaaaab`.
    let names = try (0..<1_000).map { number in
      let letters = String(number, radix: 2).replacing("0", with: "a").replacing("1", with: "b")
      return try #require(MaskedName("member-of-\(letters)"))
    }
    let rules = SecretKeyRules(masking: names + [try #require(MaskedName("tax-number"))])
    var found = 0
    for _ in 0..<300_000 where rules.isMasked("userMemberOfNobody".utf8) { found += 1 }
    #expect(found == 0)
    #expect(rules.isMasked("userTaxNumber".utf8))
  }

  /// An answer whose values are hidden shows some names by exception.
  @Test func aNameThatMayBeReadIsMaskedToo() throws {
    let endpoint = EndpointTraits(name: "/x", isAuthentication: true, logsResponseBody: true, masksResponseValues: true)
    let response = RawResponse(status: 200, headers: [], body: Array(#"{"message":"plain","title":"plain"}"#.utf8))
    let body = try #require(try redactor("message").redact(response, to: endpoint).message.body)
    #expect(body.hasPrefix(#"{"message":"‹value:"#) && body.hasSuffix(#""title":"plain"}"#), "\(body)")
  }

  @Test func aTextThatFitsTooMuchIsNoName() {
    for text in ["", "x", "-", " - _ ", String(repeating: "a", count: 101)] { #expect(MaskedName(text) == nil, "\(text)") }
    #expect(MaskedName(String(repeating: "a", count: 100)) != nil)
  }
}
