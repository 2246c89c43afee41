import HTTPTypes
import Server

/// The cookie by which a browser is known, named after the port, since cookies of all ports of a host mix (contract §2.2).
package struct BrowserCookie: Hashable, Sendable {
  /// `understudy_<port>`, over TLS `__Host-understudy_<port>`.
  package let name: String
  private let isSecure: Bool

  /// Makes the cookie of the console at the origin.
  package init(home: Origin) {
    isSecure = home.scheme == "https"
    name = "\(isSecure ? "__Host-" : "")understudy_\(home.port)"
  }

  /// The `Set-Cookie` value that makes a browser keep a cookie for 90 days; `name` is this cookie's unless said.
  package func setting(_ value: String, name: String? = nil) -> String {
    "\(name ?? self.name)=\(value); Path=/; Max-Age=7776000; HttpOnly; SameSite=Strict\(isSecure ? "; Secure" : "")"
  }
}

extension Request {
  /// The values of every cookie of the name: an application on another port of this host can set one of ours beside ours.
  func cookies(_ name: String) -> [String] {
    headers[values: .cookie].flatMap { field in
      field.split(separator: ";").compactMap { pair -> String? in
        let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2, String(halves[0]).trimmingWhitespace == name else { return nil }
        return String(halves[1]).trimmingWhitespace
      }
    }
  }
}
