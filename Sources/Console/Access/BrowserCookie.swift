import HTTPTypes
import Server
import Text
import Vault

/// The cookie by which a browser is known.
///
/// All ports of a host share their cookies, so the name says the port; and whoever knows a cookie's name on another port can write
/// over it, so in the clear the name ends in characters of this installation. Over TLS the prefix alone keeps others away.
package struct BrowserCookie: Hashable, Sendable {
  /// `understudy_<port>_<characters>`, over TLS `__Host-understudy_<port>`.
  package let name: String
  /// The name of before it was made hard to guess, still read and no longer set; nil over TLS.
  private let oldName: String?
  private let isSecure: Bool

  /// So many cookies of one name are looked at: a neighbour can put some of ours beside ours.
  private static let limit = 8

  /// Makes the cookie of the console at the origin; `key` is a secret of the installation.
  package init(home: Origin, key: [UInt8]) {
    isSecure = home.scheme == "https"
    let plain = "understudy_\(home.port)"
    guard !isSecure else {
      (name, oldName) = ("__Host-\(plain)", nil)
      return
    }
    let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567")
    let mark = HMAC.sha256(Array("browser cookie \(home.port)".utf8), key: key).prefix(8).map {
      alphabet[Int($0) % alphabet.count]
    }
    (name, oldName) = ("\(plain)_\(String(mark))", plain)
  }

  /// The name of the cookie that shows access.
  package var accessName: String { "\(name)_access" }

  /// The values that the request carries under the cookie's name, then those under the one of before.
  func values(of request: Request) -> [String] { request.cookies([name] + (oldName.map { [$0] } ?? []), limit: Self.limit) }

  /// The same of the cookie that shows access.
  func accessValues(of request: Request) -> [String] {
    request.cookies([accessName] + (oldName.map { ["\($0)_access"] } ?? []), limit: Self.limit)
  }

  /// The `Set-Cookie` value that makes a browser keep a cookie for 90 days; `name` is this cookie's unless said.
  package func setting(_ value: String, name: String? = nil) -> String {
    "\(name ?? self.name)=\(value); Path=/; Max-Age=7776000; HttpOnly; SameSite=Strict\(isSecure ? "; Secure" : "")"
  }
}

extension Request {
  /// The values of the cookies of each name in turn, of each at most so many.
  fileprivate func cookies(_ names: [String], limit: Int) -> [String] {
    names.flatMap { name in headers[values: .cookie].flatMap { CookieHeader.values(named: name, in: $0) }.prefix(limit) }
  }
}
