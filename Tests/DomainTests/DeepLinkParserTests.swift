import Testing

@testable import Domain

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
    "", "token", "https://app.example.com/other#token=T", "/callback#token=T",
    "https://app.example.com/callback#token=T&token=T",
    "https://app.example.com/callback#token=T%0d%0aX", "https://app.example.com/callback#state=T",
  ])
  func refusesWhatIsNoLink(pattern: String) {
    #expect(throws: AuthError.loginLinkInvalid) { try parser.parse(pattern.replacing("T", with: token)) }
  }

  @Test(arguments: [
    "L.", "L,", "(L)", "<L>", "\"L\"", "“L”", "Open L, please.", "L\n", "\u{200B}L\u{2069}", "*L*",
    "See https://example.org/a: L",
    "Your link:\n\n  L\n\nYour code: 482913. Thanks!", "[Sign in](L)", "HTTPS://app.example.com/callback#token=T&state=st-1",
    "https://app.example.com/callback#token=T&amp;state=st-1", "https://app.example.com/callback#token=3DT&state=3Dst-1",
    "https://app.example.com/callback#tok=\r\nen=3DT&=\nstate=3Dst-1\r\n",
    "https://app.example.com/callback#to\nken=T&sta\r\nte=st-1",
    "https://app.example.com/callback# token=T& state=st-1 now", "İşte bağlantınız: L", "K İİ L ẞ",
  ])
  func findsTheLink(pattern: String) throws {
    let link = "https://app.example.com/callback#token=\(token)&state=st-1"
    let text = pattern.replacing("L", with: link).replacing("=T", with: "=\(token)").replacing("DT", with: "D\(token)")
    let links = try parser.links(in: text)
    #expect(try links.contains(DeepLink(token: token, state: "st-1")))
    #expect(links.allSatisfy { $0.state != nil } || links.first?.state != nil)
  }

  @Test(arguments: [
    "https://app.example.com/callback#token=short", "https://app.example.com/callback", "https://app.example.com/callback#tok",
    "https://app.example.com/callback#token=", "https://app.example.com/callback#token=T&state=",
    "Open https://app.example.com/callback?to",
  ])
  func saysThatALinkWasCut(pattern: String) {
    #expect(throws: AuthError.linkIncomplete) { try parser.parse(pattern.replacing("T", with: token)) }
  }

  @Test(arguments: ["3D", "3dAB", "41"]) func aLinkThatLooksEscapedIsReadAsItIsToo(start: String) throws {
    let link = try DeepLink(token: start + token, state: start + "st")
    #expect(try parser.links(in: "https://app.example.com/callback#token=\(link.token)&state=\(start)st").contains(link))
    let only = "https://app.example.com/callback#token=\(start)\(token)&state=st-1"
    #expect(try parser.links(in: only).map(\.token) == [link.token])
  }

  @Test func manyAddressesTakeLittleTime() {
    #expect(throws: AuthError.self) { try parser.parse(String(repeating: "http://", count: LinkText.maximumBytes / 7)) }
  }

  @Test func aMessageNamesATrustedHostOnly() {
    let text = "https://evil.example/callback#token=\(token) https://app.example.com/help"
    #expect(throws: AuthError.linkUntrusted) { try parser.parse(text) }
  }
}
