/// The bytes that the signature of a request covers (seed-rules C-5 "HMAC-SHA256").
package enum SignedText {
  /// Concatenates `api_id`, method, path, body and nonce without delimiters.
  ///
  /// `path` is the path as sent, without the query; `body` the bytes sent; `nonce` the Unix time in seconds as text.
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
