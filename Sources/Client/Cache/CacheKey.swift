import HTTPTypes
import Text
import Vault

/// Under what a response is stored: whose, method, URL, and the request fields that choose between languages and forms.
struct CacheKey: Hashable, Sendable {
  /// Whose answers they are; the name of a folder.
  let partition: String
  let method: String
  /// Scheme, host and port, normalised.
  let origin: String
  /// The path, normalised.
  let path: String
  /// The query, normalised; nil for none, which differs from an empty one.
  let query: String?
  /// The values of `negotiated`, in its order.
  let negotiatedValues: [String?]

  /// The fields by which a backend may be asked to choose; others are compared when an answer is found.
  private static let negotiated: [HTTPField.Name] = [.accept, .acceptLanguage]

  /// The key of a request; `origin` is normalised already, as it never changes (`normalizedOrigin`).
  init(partition: String, method: HTTPRequest.Method, origin: String, path: String, query: String?, fields: HTTPFields) {
    self.partition = partition
    self.method = method.rawValue
    self.origin = origin
    self.path = PercentCoding.normalize(path.isEmpty ? "/" : path)
    self.query = query.map(PercentCoding.normalize)
    negotiatedValues = Self.negotiated.map { fields[$0] }
  }

  /// Scheme and authority in lower case, without the scheme's default port (RFC 3986 §6.2.2.1, §6.2.3).
  static func normalizedOrigin(_ text: String) -> String {
    let lower = text.lowercased()
    for (scheme, port) in [("https://", ":443"), ("http://", ":80")] where lower.hasPrefix(scheme) && lower.hasSuffix(port) {
      return String(lower.dropLast(port.utf8.count))
    }
    return lower
  }

  /// The file's name: 32 digits of the path and 64 of the whole key, whatever the URL holds.
  var fileName: String {
    let whole = [partition, method, origin, path, query] + negotiatedValues
    return Self.filePrefix(partition: partition, origin: origin, path: path)
      + Hex.encode(SHA256Digest.hash(LengthPrefixed.bytes(whole)))
  }

  /// What the names of all files of a path begin with.
  static func filePrefix(partition: String, origin: String, path: String) -> String {
    Hex.encode(Array(SHA256Digest.hash(LengthPrefixed.bytes([partition, origin, path])).prefix(16)))
  }
}

/// Texts as bytes from which they can be told apart again, so that no two lists give the same.
enum LengthPrefixed {
  /// Each text after its length and a colon; `-` for a missing one.
  static func bytes(_ texts: [String?]) -> [UInt8] {
    texts.flatMap { text -> [UInt8] in
      guard let text else { return [UInt8(ascii: "-")] }
      return Array("\(text.utf8.count):".utf8) + Array(text.utf8)
    }
  }

  /// 32 hexadecimal digits that stand for the texts.
  static func name(_ texts: [String]) -> String { Hex.encode(Array(SHA256Digest.hash(bytes(texts)).prefix(16))) }
}
