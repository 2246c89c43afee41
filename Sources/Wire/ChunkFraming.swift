/// Chunks of an answer (RFC 9112 §7.1).
package enum ChunkFraming {
  /// `100 Continue` (RFC 9110 §15.2.1), ready to send.
  package static let continueLine = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
  /// The last chunk, without trailers.
  package static let end = Array("0\r\n\r\n".utf8)

  /// Appends the bytes as one chunk; nothing for no bytes, since an empty chunk would end the body.
  package static func append(_ bytes: [UInt8], to output: inout [UInt8]) {
    guard !bytes.isEmpty else { return }
    output.append(contentsOf: String(bytes.count, radix: 16).utf8)
    output.append(contentsOf: "\r\n".utf8)
    output.append(contentsOf: bytes)
    output.append(contentsOf: "\r\n".utf8)
  }
}
