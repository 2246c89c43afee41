import HTTPTypes
import Wire

/// Compression of dynamic responses.
extension Response {
  /// Smaller bodies, in bytes, are not compressed.
  private static let smallestCompressed = 1024

  /// The response in the content coding that the request prefers: `gzip` if the client accepts it, the media type is compressible
  /// and the body is in memory and has at least 1 KiB. A strong entity tag becomes weak, because the bytes differ (RFC 9110
  /// §8.8.1).
  ///
  /// Don't use it for responses that contain a secret next to text chosen by the client: their compressed length would reveal the
  /// secret.
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
