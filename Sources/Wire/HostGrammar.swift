import Text

/// `uri-host [ ":" port ]` (RFC 9110 §7.2, RFC 3986 §3.2.2).
package enum HostGrammar {
  /// Whether the bytes are a host, not empty, with an optional port up to 65535, and without userinfo or path.
  package static func isValid(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
    var cursor = start
    guard start < end else { return false }
    if bytes[start] == 0x5B {
      cursor += 1
      while cursor < end, ByteClass.isIPv6Literal(bytes[cursor]) { cursor += 1 }
      guard cursor - start > 2, cursor < end, bytes[cursor] == 0x5D else { return false }
      cursor += 1
    } else {
      while cursor < end, ByteClass.isRegisteredName(bytes[cursor]) { cursor += 1 }
      guard cursor > start else { return false }
    }
    guard cursor < end else { return true }
    guard bytes[cursor] == 0x3A else { return false }
    var port = 0
    guard end - cursor <= 6 else { return false }
    for index in (cursor + 1)..<end {
      guard ASCII.isDigit(bytes[index]) else { return false }
      port = port * 10 + Int(bytes[index] &- 0x30)
    }
    return port <= 65535
  }
}
