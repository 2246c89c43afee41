import JSON
import Text

/// Why a response cannot be used: the expected and the found kind of value, never a value of the response.
package struct PayloadMismatch: Error, Hashable, Sendable, CustomStringConvertible {
  /// The keys and indices that lead to the member, such as `profiles.0.profile_id`; empty for the body as a whole.
  package let path: String
  /// The expected kind, such as `a string`; nil if it is obvious.
  package let expected: String?
  /// The found kind, such as `a number` or `missing`.
  package let found: String
  /// The complete description, if it does not consist of the parts.
  private var words: String?

  package init(path: String = "", expected: String? = nil, found: String) {
    self.path = path
    self.expected = expected
    self.found = found
  }

  /// Describes it in its own words, which quote no value of the response.
  init(words: String) {
    self.init(found: "not as expected")
    self.words = words
  }

  /// Describes why a body does not match its type.
  init(_ error: JSONError) {
    self.init(
      path: error.path, expected: error.expected,
      found: error.reason == .missingMember ? "missing" : error.found ?? "not as expected")
  }

  /// One line for rows, logs and reports, such as `active_profile_id is a number, expected a string`.
  package var description: String {
    words ?? "\(path.isEmpty ? "the body" : path) is \(found)\(expected.map { ", expected \($0)" } ?? "")"
  }

  /// The body is empty although the endpoint's type needs one.
  package static let emptyBody = PayloadMismatch(expected: "JSON", found: "empty")
  /// The body is not valid JSON.
  package static let notJSON = PayloadMismatch(found: "not JSON")
  /// The body has a content coding that cannot be removed, in words.
  static func coding(_ words: String) -> PayloadMismatch {
    var mismatch = PayloadMismatch(found: "encoded")
    mismatch.words = words
    return mismatch
  }

  /// The body is JSON except for a fault that is more specific than ``notJSON``; anything else is not JSON.
  init(_ error: JSONError, in body: [UInt8]) {
    self = .notJSON
    // Only an object or an array can be JSON with a fault; a page or a text is not JSON.
    guard let first = body.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }), "{[".utf8.contains(first) else { return }
    switch error.reason {
    case .duplicateKey: words = "the body has the member \(Self.key(at: error.offset, in: body)) twice"
    case .loneSurrogate: words = "the body has half a surrogate pair in a string"
    case .controlCharacter: words = "the body has an unescaped control character in a string"
    case .unexpectedByte, .invalidNumber:
      if let word = ToleratedJSON.constant(at: error.offset, in: body) {
        words = "the body has \(word), which is no number of JSON"
      }
    default: break
    }
  }

  /// The key at an offset in quotes; a general word if it is long, or has characters that names do not have.
  private static func key(at offset: Int, in body: [UInt8]) -> String {
    let key = body.dropFirst(offset + 1).prefix { $0 != UInt8(ascii: "\"") }
    let isName = (1...64).contains(key.count) && key.allSatisfy { ASCII.isAlphanumeric($0) || "_-.".utf8.contains($0) }
    return isName ? "`\(String(decoding: key, as: UTF8.self))`" : "of one name"
  }

  /// The body is longer than the endpoint accepts.
  package static let tooLarge = PayloadMismatch(found: "too large")
  /// The response breaks the HTTP protocol.
  package static let notHTTP = PayloadMismatch(path: "the response", found: "not valid HTTP")
  /// The request cannot be written as JSON.
  static let unencodableRequest = PayloadMismatch(path: "the request", found: "not encodable as JSON")

  /// A status that neither succeeds nor fails, such as a redirect.
  package static func unexpected(status: Int) -> PayloadMismatch {
    PayloadMismatch(path: "the status", expected: "2xx, 4xx or 5xx", found: "\(status)")
  }
}
