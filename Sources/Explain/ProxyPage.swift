/// The texts of proxies that stand where a response is missing.
package enum ProxyPage {
  /// The error of an imported row whose response is such a text. The text itself isn't kept.
  package static let error = "proxy_page"

  /// Whether a body that is no JSON is such a text.
  package static func isOne(_ body: [UInt8]) -> Bool {
    let text = String(decoding: body.prefix(2000), as: UTF8.self).lowercased()
    return [
      "charles error", "charles proxy", "proxyman", "mitmproxy", "fiddler", "client closed", "connection dropped",
      "no response was received", "remote server closed", "ssl handshake",
    ].contains { text.contains($0) }
  }
}
