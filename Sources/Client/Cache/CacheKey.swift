import HTTPTypes
import Text
import Vault

/// The key of a stored response: its owner, method, URL and the request fields that negotiate language and format.
struct CacheKey: Hashable, Sendable {
  /// The owner of the response; also a folder name.
  let partition: String
  let method: String
  /// Scheme, host and port, normalized.
  let origin: String
  /// The path, normalized.
  let path: String
  /// The query, normalized; nil for none, which differs from an empty one.
  let query: String?
  /// The values of `negotiated`, in its order.
  let negotiatedValues: [String?]

  /// The request fields for content negotiation; others are compared when a response is found.
  private static let negotiated: [HTTPField.Name] = [.accept, .acceptLanguage]

  /// Creates the key of a request; `origin` must be normalized (`URLText.origin`).
  init(partition: String, method: HTTPRequest.Method, origin: String, path: String, query: String?, fields: HTTPFields) {
    self.partition = partition
    self.method = method.rawValue
    self.origin = origin
    self.path = PercentCoding.normalize(path.isEmpty ? "/" : path)
    self.query = query.map(PercentCoding.normalize)
    negotiatedValues = Self.negotiated.map { fields[$0] }
  }

  /// Path and query distinguish nearly all keys of a device.
  func hash(into hasher: inout Hasher) {
    hasher.combine(path)
    hasher.combine(query)
  }

  /// Scheme and authority in lower case, without the scheme's default port (RFC 3986 §6.2.2.1, §6.2.3).
  static func normalizedOrigin(_ text: String) -> String {
    let lower = text.lowercased()
    for (scheme, port) in [("https://", ":443"), ("http://", ":80")] where lower.hasPrefix(scheme) && lower.hasSuffix(port) {
      return String(lower.dropLast(port.utf8.count))
    }
    return lower
  }

  /// The file name: 32 hexadecimal digits for the path and 64 for the whole key, independent of the URL's characters.
  var fileName: String {
    let whole = [partition, method, origin, path, query] + negotiatedValues
    return Self.filePrefix(partition: partition, origin: origin, path: path)
      + Hex.encode(SHA256Digest.hash(LengthPrefixed.bytes(whole)))
  }

  /// The common prefix of the file names of a path.
  static func filePrefix(partition: String, origin: String, path: String) -> String {
    Hex.encode(Array(SHA256Digest.hash(LengthPrefixed.bytes([partition, origin, path])).prefix(16)))
  }
}

/// Encodes lists of texts unambiguously: no two lists give the same bytes.
enum LengthPrefixed {
  /// Each text after its length and a colon; `-` for nil.
  static func bytes(_ texts: [String?]) -> [UInt8] {
    texts.flatMap { text -> [UInt8] in
      guard let text else { return [UInt8(ascii: "-")] }
      return Array("\(text.utf8.count):".utf8) + Array(text.utf8)
    }
  }

  /// 32 hexadecimal digits of a digest of the texts.
  static func name(_ texts: [String]) -> String { Hex.encode(Array(SHA256Digest.hash(bytes(texts)).prefix(16))) }
}
