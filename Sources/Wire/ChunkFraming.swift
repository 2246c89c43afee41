/// The chunked coding of a response (RFC 9112 §7.1).
package enum ChunkFraming {
  /// The bytes of `100 Continue` (RFC 9110 §15.2.1).
  package static let continueLine = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
  /// The last chunk, without trailers.
  package static let end = Array("0\r\n\r\n".utf8)

  /// Appends the bytes as one chunk. Appends nothing if they are empty, because an empty chunk ends the body.
  package static func append(_ bytes: [UInt8], to output: inout [UInt8]) {
    guard !bytes.isEmpty else { return }
    output.append(contentsOf: String(bytes.count, radix: 16).utf8)
    output.append(contentsOf: "\r\n".utf8)
    output.append(contentsOf: bytes)
    output.append(contentsOf: "\r\n".utf8)
  }
}
