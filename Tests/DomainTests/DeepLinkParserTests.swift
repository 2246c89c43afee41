import Domain
import Testing

@Suite struct DeepLinkParserTests {
  let parser = DeepLinkParser(trustedHosts: ["localhost:8080", "app.example.com"])
  let token = "Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmF"

  @Test(arguments: ["http://localhost:8080/callback#token=T&state=S", "https://app.example.com/callback?token=T&state=S"])
  func readsFragmentAndQuery(pattern: String) throws {
    let link = try parser.parse(pattern.replacing("T", with: token).replacing("=S", with: "=st-1"))
    #expect(link.token == token)
    #expect(link.state == "st-1")
  }

  @Test func theFragmentComesFirst() throws {
    let other = String(token.reversed())
    let link = try parser.parse("https://app.example.com/callback?token=\(other)&state=query#token=\(token)&state=fragment")
    #expect(link.token == token)
    #expect(link.state == "fragment")
  }

  @Test(arguments: [
    "https://evil.example/callback#token=T", "https://app.example.com.evil.example/callback#token=T",
    "http://app.example.com/callback#token=T", "https://user@app.example.com/callback#token=T",
    "http://localhost:8081/callback#token=T", "https://app.example.com@evil.example/callback#token=T",
  ])
  func refusesOtherHosts(pattern: String) {
    #expect(throws: AuthError.linkUntrusted) { try parser.parse(pattern.replacing("T", with: token)) }
  }

  @Test(arguments: [
    "", "token", "https://app.example.com/callback", "https://app.example.com/other#token=T", "/callback#token=T",
    "https://app.example.com/callback#token=short", "https://app.example.com/callback#token=T&token=T",
    "https://app.example.com/callback#token=T%0d%0aX", "https://app.example.com/callback#state=T",
  ])
  func refusesWhatIsNoLink(pattern: String) {
    #expect(throws: AuthError.loginLinkInvalid) { try parser.parse(pattern.replacing("T", with: token)) }
  }
}
