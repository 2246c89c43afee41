import HTTPTypes
import RPC

/// The header fields of a composed request: those that a person may add or replace.
package enum ComposedFields {
  /// The most lines.
  package static let maximumCount = 32
  /// The most bytes of all names and values together.
  package static let maximumBytes = 8 * 1024

  /// Fields that the client or the connection writes: the session's token, the device, the signature, and the framing.
  private static let reserved = Set(
    [
      "authorization", "proxy-authorization", "proxy-connection", "cookie", "host", "content-length", "content-encoding",
      "accept-encoding", "transfer-encoding", "trailer", "connection", "expect", "te", "upgrade", "keep-alive",
    ] + [HTTPField.Name.apiID, .nonce, .signature, .requestID, .deviceID, .idempotencyKey].map(\.canonicalName))

  /// Whether the client writes the field itself, so that no caller may.
  package static func isReserved(_ name: String) -> Bool { reserved.contains(name.lowercased()) }

  /// The fields of name and value pairs; nil if one is reserved or cannot be sent, or if there are too many.
  static func checked(_ lines: [(name: String, value: String)]) -> HTTPFields? {
    guard lines.count <= maximumCount, lines.reduce(0, { $0 + $1.name.utf8.count + $1.value.utf8.count }) <= maximumBytes
    else { return nil }
    var fields = HTTPFields()
    for (name, value) in lines {
      guard let name = HTTPField.Name(name), !isReserved(name.canonicalName), isValue(value) else { return nil }
      fields.append(HTTPField(name: name, value: value))
    }
    return fields
  }

  /// Whether a value is one line of visible ASCII with spaces and tabs only inside (RFC 9110 §5.5).
  private static func isValue(_ value: String) -> Bool {
    value.utf8.allSatisfy { (0x20...0x7e).contains($0) || $0 == 0x09 }
      && ![0x20, 0x09].contains(value.utf8.first ?? 0) && ![0x20, 0x09].contains(value.utf8.last ?? 0)
  }
}
