/// The text that a call's signature covers (contract §3, seed 004).
package enum SignedText {
  /// Joins `api_id + method + path + body + nonce` as bytes, without delimiters.
  ///
  /// `path` is the path alone as it stands on the wire, `body` the bytes that are sent, `nonce` the unix seconds as text.
  package static func bytes(apiID: String, method: String, path: String, body: [UInt8], nonce: String) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(apiID.utf8.count + method.utf8.count + path.utf8.count + body.count + nonce.utf8.count)
    bytes.append(contentsOf: apiID.utf8)
    bytes.append(contentsOf: method.utf8)
    bytes.append(contentsOf: path.utf8)
    bytes.append(contentsOf: body)
    bytes.append(contentsOf: nonce.utf8)
    return bytes
  }
}
