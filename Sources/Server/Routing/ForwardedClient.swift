package import HTTPTypes
package import Reactor
import Wire
import Text

/// The client that a reverse proxy names: the last element of `X-Forwarded-For`, or of `Forwarded` (RFC 7239).
///
/// Only the last element was written by the proxy; earlier ones came with the request. A proxy that writes one of the two fields
/// may pass the other on from the client, so if both are present and differ, neither is used.
package enum ForwardedClient {
  /// The address as counted for limits; nil if there is none or it cannot be parsed.
  package static func address(in fields: HTTPFields) -> SocketAddress? {
    let plain = fields[values: .xForwardedFor].last
    let standard = fields[values: .forwarded].last
    switch (plain, standard) {
    case (nil, nil): return nil
    case (let plain?, nil): return node(lastElement(of: plain))
    case (nil, let standard?): return forwardedFor(lastElement(of: standard))
    case (let plain?, let standard?):
      let first = node(lastElement(of: plain))
      return first == forwardedFor(lastElement(of: standard)) ? first : nil
    }
  }

  /// The text after the last comma outside quotes.
  private static func lastElement(of value: String) -> Substring {
    parts(of: value[...], separator: ",").last ?? ""
  }

  private static func parts(of value: Substring, separator: Character) -> [Substring] {
    var isQuoted = false
    return value.split(omittingEmptySubsequences: false) { character in
      if character == "\"" { isQuoted.toggle() }
      return character == separator && !isQuoted
    }
  }

  /// The `for` parameter of an element of `Forwarded`, which must occur exactly once.
  private static func forwardedFor(_ element: Substring) -> SocketAddress? {
    let values = parts(of: element, separator: ";").compactMap { pair -> Substring? in
      let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard halves.count == 2, halves[0].trimmingBlanks.lowercased() == "for" else { return nil }
      return halves[1]
    }
    guard values.count == 1 else { return nil }
    var value = values[0].trimmingBlanks
    if value.hasPrefix("\""), value.hasSuffix("\""), value.count >= 2 { value = value.dropFirst().dropLast() }
    return node(value)
  }

  /// Parses an address with or without a port; IPv6 with or without brackets.
  private static func node(_ text: Substring) -> SocketAddress? {
    var host = text.trimmingBlanks
    guard host.utf8.count <= 64 else { return nil }
    if host.hasPrefix("[") {
      guard let end = host.firstIndex(of: "]"), isPort(host[host.index(after: end)...]) else { return nil }
      host = host[host.index(after: host.startIndex)..<end]
      guard host.contains(":") else { return nil }
    } else if let colon = host.firstIndex(of: ":"), colon == host.lastIndex(of: ":") {
      guard isPort(host[colon...]) else { return nil }
      host = host[..<colon]
    }
    return SocketAddress(host: String(host), port: 0)?.client
  }

  /// Whether the text is empty or a colon with a port.
  private static func isPort(_ text: Substring) -> Bool {
    guard let first = text.first else { return true }
    let digits = text.dropFirst()
    return first == ":" && (1...5).contains(digits.utf8.count) && digits.utf8.allSatisfy { ASCII.isDigit($0) }
  }

}

extension HTTPField.Name {
  fileprivate static let xForwardedFor = constant("X-Forwarded-For")
  /// `Forwarded` (RFC 7239 §4).
  fileprivate static let forwarded = constant("Forwarded")
}
