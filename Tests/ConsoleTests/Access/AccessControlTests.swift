import Console
import HTTPTypes
import Reactor
import Server
import Testing

@Suite struct AccessControlTests {
  private let cookie = BrowserCookie(home: Origin(scheme: "http", host: "localhost", port: 8080), key: [1])

  private func request(
    user: UInt32?, host: String = "127.0.0.1", cookies: String? = nil, bearer: String? = nil
  ) throws -> Request {
    var headers = HTTPFields()
    headers[.cookie] = cookies
    headers[.authorization] = bearer
    let peer = try #require(SocketAddress(host: host, port: 4000))
    return Request(method: .get, path: "/api/state", headers: headers, peer: peer, peerUser: user)
  }

  @Test func onlyTheConsolesUserAndRootNeedNoToken() throws {
    let access = AccessControl(token: nil, cookie: cookie, localUsers: .owners([1000, 0]))
    for user: UInt32 in [1000, 0] { #expect(access.accessLevel(of: try request(user: user)) == .owner) }
    for user: UInt32? in [1001, 65_534, .max, nil] { #expect(access.accessLevel(of: try request(user: user)) == .pagesOnly) }
    #expect(access.accessLevel(of: try request(user: 1000, host: "192.0.2.1")) == .pagesOnly, "only within this machine")
    #expect(access.cookie(forToken: "") == nil)
    #expect(!access.admitsBearer(try request(user: 1001, bearer: "Bearer ")))
  }

  @Test func theTokenMakesAnOwner() throws {
    let access = AccessControl(token: "secret", cookie: cookie, localUsers: .owners([1000]))
    let (name, value) = try #require(access.cookie(forToken: "secret"))
    #expect(name == cookie.accessName && access.cookie(forToken: "secre") == nil)
    for cookies in ["\(name)=\(value)", "\(name)=planted; \(name)=\(value)", "understudy_8080_access=\(value)"] {
      #expect(access.accessLevel(of: try request(user: 1001, cookies: cookies)) == .owner, "\(cookies)")
    }
    for cookies in ["\(name)=secret", "\(name)=", "\(name)=\(value)x", "understudy_8081_access=\(value)"] {
      #expect(access.accessLevel(of: try request(user: 1001, cookies: cookies)) == .pagesOnly, "\(cookies)")
    }
    #expect(access.admitsBearer(try request(user: 1001, bearer: "Bearer secret")))
    #expect(!access.admitsBearer(try request(user: 1001, bearer: "Bearer other")))
  }

  @Test func otherUsersAreGuestsIfAllowed() throws {
    let access = AccessControl(token: nil, cookie: cookie, localUsers: .everybody(owners: [1000]))
    #expect(access.accessLevel(of: try request(user: 1000)) == .owner)
    for user: UInt32? in [1001, nil] { #expect(access.accessLevel(of: try request(user: user)) == .guest) }
    #expect(access.accessLevel(of: try request(user: 1001, host: "192.0.2.1")) == .pagesOnly)
  }

  @Test func usersOfOtherMachinesNeedTheToken() throws {
    let access = AccessControl(token: "secret", cookie: cookie, localUsers: .none)
    #expect(access.accessLevel(of: try request(user: 0)) == .pagesOnly)
  }

  @Test func theCookiesNameDependsOnInstallationAndPort() {
    func name(_ scheme: String, _ port: UInt16, _ key: [UInt8]) -> String {
      BrowserCookie(home: Origin(scheme: scheme, host: "localhost", port: port), key: key).name
    }
    let plain = name("http", 8080, [1])
    #expect(plain.wholeMatch(of: /understudy_8080_[a-z2-7]{8}/) != nil)
    #expect(plain == name("http", 8080, [1]) && plain != name("http", 8080, [2]))
    #expect(plain.suffix(8) != name("http", 8081, [1]).suffix(8))
    #expect(name("https", 8443, [1]) == "__Host-understudy_8443")
  }
}
