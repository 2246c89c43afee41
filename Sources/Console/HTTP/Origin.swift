import Text

/// A web origin in its serialised form: scheme, host and port (RFC 6454 §6.2).
package struct Origin: Hashable, Sendable {
  package let scheme: String
  /// Lower-case; brackets around an IPv6 address.
  package let host: String
  package let port: UInt16

  package init(scheme: String, host: String, port: UInt16) {
    self.scheme = scheme
    self.host = host
    self.port = port
  }

  /// Reads `scheme://host[:port]` without path, query or user; nil for anything else, including `null`.
  package init?(_ text: String) {
    let lowered = text.lowercased()
    for scheme in ["http", "https"] {
      guard lowered.hasPrefix("\(scheme)://") else { continue }
      self.init(scheme: scheme, authority: String(lowered.dropFirst(scheme.count + 3)))
      return
    }
    return nil
  }

  /// Reads the authority of a `Host` field that arrived over the scheme; nil if it is not `host[:port]`.
  package init?(scheme: String, authority: String) {
    let lowered = authority.lowercased()
    var host = lowered[...]
    var port: UInt16 = scheme == "https" ? 443 : 80
    let afterAddress = lowered.hasPrefix("[") ? lowered.firstIndex(of: "]") ?? lowered.startIndex : lowered.startIndex
    if let colon = lowered[afterAddress...].lastIndex(of: ":") {
      host = lowered[..<colon]
      let digits = lowered[lowered.index(after: colon)...]
      guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy({ ASCII.isDigit($0) }), let value = UInt16(digits)
      else { return nil }
      port = value
    }
    guard !host.isEmpty, host.utf8.allSatisfy(Self.isHostByte) else { return nil }
    self.init(scheme: scheme, host: String(host), port: port)
  }

  /// The origin as text, without the scheme's default port.
  package var text: String { "\(scheme)://\(authority)" }

  /// Host and port as in a browser's `Host` field, without the scheme's default port.
  package var authority: String {
    let isDefault = (scheme == "https" && port == 443) || (scheme == "http" && port == 80)
    return isDefault ? host : "\(host):\(port)"
  }

  /// Whether the host is this machine.
  package var isLoopback: Bool { ["localhost", "127.0.0.1", "[::1]"].contains(host) }

  private static func isHostByte(_ byte: UInt8) -> Bool {
    ASCII.isLowercase(byte) || ASCII.isDigit(byte) || ".-_[]:".utf8.contains(byte)
  }
}
