import Redaction
import Text

/// Removes the content codings of a body (RFC 9110 §8.4).
enum ContentCoding {
  enum Outcome: Equatable {
    case bytes([UInt8])
    case tooLarge
    /// The body cannot be read, in words; it stays as it was received.
    case fault(String)
  }

  /// Names of character sets and transfer encodings that servers write in this field although the body has no coding.
  private static let identities: Set<String> = ["", "identity", "none", "utf-8", "utf8", "binary", "8bit"]
  /// The most codings of a body.
  private static let limit = 4

  /// Decodes a body; `fields` are the values of `Content-Encoding` in order, and `limit` is in bytes.
  static func decode(_ body: [UInt8], fields: [String], upTo limit: Int) -> Outcome {
    let codings = fields.joined(separator: ",").split(separator: ",").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
      .filter { !identities.contains($0) }
    guard !body.isEmpty, !codings.isEmpty else { return .bytes(body) }
    guard codings.count <= Self.limit else { return .fault("too many content codings") }
    var body = body
    for coding in codings.reversed() {
      switch inflated(body, coding, limit) {
      case .bytes(let bytes): body = bytes
      case .tooLarge: return .tooLarge
      case .notCompressed: return .fault("broken content coding `\(coding)`")
      case nil: return .fault("unknown content coding\(isToken(coding) ? " `\(coding)`" : "")")
      }
    }
    return .bytes(body)
  }

  private static func inflated(_ body: [UInt8], _ coding: String, _ limit: Int) -> InflatedBody? {
    switch coding {
    case "gzip", "x-gzip": return .inflate(body, upTo: limit)
    case "deflate":
      // Some servers leave out the header of zlib.
      let inflated = InflatedBody.inflate(body, upTo: limit)
      if case .notCompressed = inflated { return .inflateRaw(body, upTo: limit) }
      return inflated
    default: return nil
    }
  }

  /// Whether a name is short enough to be shown and has the characters of one.
  private static func isToken(_ name: String) -> Bool {
    name.utf8.count <= 32 && name.utf8.allSatisfy { ASCII.isAlphanumeric($0) || "-_.+".utf8.contains($0) }
  }
}
