import Reactor
import Testing

struct SocketAddressTests {
  @Test(arguments: [
    ("127.0.0.1", "127.0.0.1", "127.0.0.1:80", true), ("127.9.8.7", "127.9.8.7", "127.9.8.7:80", true),
    ("0.0.0.0", "0.0.0.0", "0.0.0.0:80", false), ("10.0.0.255", "10.0.0.255", "10.0.0.255:80", false),
    ("::1", "::1", "[::1]:80", true), ("[::1]", "::1", "[::1]:80", true), ("::", "::", "[::]:80", false),
    ("::ffff:127.0.0.1", "::ffff:127.0.0.1", "[::ffff:127.0.0.1]:80", true),
    ("2001:db8::5:1", "2001:db8::5:1", "[2001:db8::5:1]:80", false),
  ])
  func numericAddresses(host: String, expected: String, text: String, isLoopback: Bool) throws {
    let address = try #require(SocketAddress(host: host, port: 80))
    #expect(address.host == expected)
    #expect(address.text == text)
    #expect(address.isLoopback == isLoopback)
    #expect(address.with(port: 81).port == 81)
    #expect(SocketAddress(host: expected, port: 80) == address)
  }

  @Test func aUnixSocketHasAPathAndNoPort() throws {
    let address = try #require(SocketAddress(unixPath: "/run/a.socket"))
    #expect(address.text == "unix:/run/a.socket" && address.host == "unix" && address.port == 0)
    #expect(address.isLoopback && address.with(port: 9) == address && address.client == address)
    #expect(SocketAddress(unixPath: String(repeating: "a", count: 107)) != nil)
    for path in ["", "a\u{0}b", String(repeating: "a", count: 108)] { #expect(SocketAddress(unixPath: path) == nil) }
  }

  @Test(arguments: [
    ("10.0.0.1", "10.0.0.1", true), ("10.0.0.1", "10.0.0.2", false),
    ("2001:db8:0:1::1", "2001:db8:0:1:ffff::2", true), ("2001:db8:0:1::1", "2001:db8:0:2::1", false),
    ("::ffff:10.0.0.1", "::ffff:10.0.0.2", false),
  ])
  func aClientIsAnAddressOrANetworkOfIPv6(a: String, b: String, isSame: Bool) throws {
    let one = try #require(SocketAddress(host: a, port: 1))
    let other = try #require(SocketAddress(host: b, port: 2))
    #expect((one.client == other.client) == isSame)
  }

  @Test(arguments: ["", "localhost", "127.0.0.1\u{0}x", "256.0.0.1", "1.2.3", "::1%lo", "[", "[]", "[::1", ":::"])
  func everythingElseIsRefused(host: String) {
    #expect(SocketAddress(host: host, port: 80) == nil)
  }
}
