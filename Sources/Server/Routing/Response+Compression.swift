import HTTPTypes
import Wire

/// Compression of answers that are made for one request.
extension Response {
  /// Bodies below this many bytes are sent as they are.
  private static let smallestCompressed = 1024

  /// The same answer in the coding that the request prefers: `gzip` where it is taken, the type gains from it, and the body is
  /// in memory with 1 KiB or more. A strong tag becomes a weak one, as the bytes differ (RFC 9110 §8.8.1).
  ///
  /// Not for answers that hold a secret beside text of the sender's choice: their length would tell of it.
  package func compressed(for request: Request) -> Response {
    guard case .bytes(let bytes) = body, bytes.count >= Self.smallestCompressed, headers[.contentEncoding] == nil,
      let type = headers[.contentType], MediaType.isCompressible(type)
    else { return self }
    var answer = self
    answer.headers[.vary] = headers[.vary].map { $0 + ", Accept-Encoding" } ?? "Accept-Encoding"
    guard AcceptEncoding(request.headers[.acceptEncoding]).prefersGzip, let packed = Gzip.compress(bytes, level: 6),
      packed.count < bytes.count
    else { return answer }
    answer.headers[.contentEncoding] = "gzip"
    if let tag = headers[.eTag], !tag.hasPrefix("W/") { answer.headers[.eTag] = "W/" + tag }
    answer.body = .bytes(packed)
    return answer
  }
}
