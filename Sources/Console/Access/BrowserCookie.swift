import HTTPTypes
import Server
import Text
import Vault

/// The cookie that identifies a browser.
///
/// All ports of a host share cookies, so the name contains the port. A program on another port can overwrite a cookie whose name
/// it knows, so without TLS the name ends in characters of this installation; over TLS the prefix `__Host-` prevents it.
package struct BrowserCookie: Hashable, Sendable {
  /// `understudy_<port>_<characters>`, over TLS `__Host-understudy_<port>`.
  package let name: String
  /// The earlier, guessable name, which the console still reads but no longer sets; nil over TLS.
  private let oldName: String?
  private let isSecure: Bool

  /// The maximum number of cookies of one name that the console reads: another program on the host can set some with the same
  /// name.
  private static let limit = 8

  /// The cookie of the console at the origin; `key` is a secret of the installation.
  package init(home: Origin, key: [UInt8]) {
    isSecure = home.scheme == "https"
    let plain = "understudy_\(home.port)"
    guard !isSecure else {
      name = "__Host-\(plain)"
      oldName = nil
      return
    }
    let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567")
    let mark = HMAC.sha256(Array("browser cookie \(home.port)".utf8), key: key).prefix(8).map {
      alphabet[Int($0) % alphabet.count]
    }
    name = "\(plain)_\(String(mark))"
    oldName = plain
  }

  /// The name of the cookie that proves access.
  package var accessName: String { "\(name)_access" }

  /// The values that the request carries under the cookie's name, then those under the earlier name.
  func values(of request: Request) -> [String] { request.cookies([name] + (oldName.map { [$0] } ?? []), limit: Self.limit) }

  /// The same for the cookie that proves access.
  func accessValues(of request: Request) -> [String] {
    request.cookies([accessName] + (oldName.map { ["\($0)_access"] } ?? []), limit: Self.limit)
  }

  /// The `Set-Cookie` value that makes a browser keep a cookie for 90 days; `name` is this cookie's by default.
  package func setting(_ value: String, name: String? = nil) -> String {
    "\(name ?? self.name)=\(value); Path=/; Max-Age=7776000; HttpOnly; SameSite=Strict\(isSecure ? "; Secure" : "")"
  }
}

extension Request {
  /// The values of the cookies of each name in turn, at most `limit` of each.
  fileprivate func cookies(_ names: [String], limit: Int) -> [String] {
    names.flatMap { name in headers[values: .cookie].flatMap { CookieHeader.values(named: name, in: $0) }.prefix(limit) }
  }
}
