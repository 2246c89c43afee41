import HTTPTypes
import RPC
import Vault
import Text

/// The request line and header fields of a call.
struct CallHead: Sendable {
  let method: HTTPRequest.Method
  /// The path as sent, without the query.
  let path: String
  /// The query as sent, without the `?`.
  let query: String?
  let fields: HTTPFields
  /// The caller's `X-Request-ID` if it is a token of at most 128 characters, otherwise a new UUID.
  let requestID: String

  init(method: HTTPRequest.Method, path: String, query: String? = nil, fields: HTTPFields) {
    self.method = method
    self.path = path
    self.query = query
    self.fields = fields
    requestID = fields[.requestID].flatMap { Self.isToken($0) ? $0 : nil } ?? SecureRandom.uuid()
  }

  /// The value of `X-Device-ID`, nil unless it is a token of at most 128 characters.
  var deviceID: String? { fields[.deviceID].flatMap { Self.isToken($0) ? $0 : nil } }

  /// The token of `Authorization: Bearer` (RFC 6750 §2.1).
  var bearerToken: String? {
    guard let value = fields[.authorization], value.utf8.count <= 1024 else { return nil }
    let parts = value.split(separator: " ", omittingEmptySubsequences: true)
    guard parts.count == 2, let scheme = parts.first, let token = parts.last, scheme.lowercased() == "bearer" else { return nil }
    return String(token)
  }

  /// Whether the media type is JSON; parameters do not matter, because JSON is always UTF-8 (RFC 8259 §8.1).
  var isJSON: Bool {
    guard let type = fields[.contentType]?.split(separator: ";", omittingEmptySubsequences: false).first else { return false }
    return type.trimmingBlanks.lowercased() == "application/json"
  }

  /// Whether the text is a token (RFC 9110 §5.6.2) of 1 to 128 characters.
  private static func isToken(_ text: String) -> Bool {
    (1...128).contains(text.utf8.count) && text.utf8.allSatisfy(ASCII.isToken)
  }
}
