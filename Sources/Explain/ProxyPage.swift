/// The texts of proxies in the place of a missing response.
package enum ProxyPage {
  /// The error of an imported row whose response is such a text. The text itself is not kept.
  package static let error = "proxy_page"

  /// Whether a body that is not JSON is such a text.
  package static func isOne(_ body: [UInt8]) -> Bool {
    let text = String(decoding: body.prefix(2000), as: UTF8.self).lowercased()
    return [
      "charles error", "charles proxy", "proxyman", "mitmproxy", "fiddler", "client closed", "connection dropped",
      "no response was received", "remote server closed", "ssl handshake",
    ].contains { text.contains($0) }
  }
}
