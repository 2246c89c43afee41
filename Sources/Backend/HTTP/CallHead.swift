import HTTPTypes
import RPC
import Vault

/// The part of a call's head that the backend looks at.
struct CallHead: Sendable {
  /// The method as sent.
  let method: HTTPRequest.Method
  /// The path as on the wire, without a query.
  let path: String
  /// The query as on the wire, without its `?`.
  let query: String?
  /// All header fields.
  let fields: HTTPFields
  /// The caller's `X-Request-ID` where it is a token of at most 128 characters, else one of our own.
  let requestID: String

  /// Reads a head.
  init(method: HTTPRequest.Method, path: String, query: String? = nil, fields: HTTPFields) {
    self.method = method
    self.path = path
    self.query = query
    self.fields = fields
    requestID = fields[.requestID].flatMap { Self.isToken($0) ? $0 : nil } ?? SecureRandom.uuid()
  }

  /// The value of `X-Device-ID` where it is a token of at most 128 characters.
  var deviceID: String? { fields[.deviceID].flatMap { Self.isToken($0) ? $0 : nil } }

  /// The token of `Authorization: Bearer` (RFC 6750 §2.1).
  var bearerToken: String? {
    guard let value = fields[.authorization], value.utf8.count <= 1024 else { return nil }
    let parts = value.split(separator: " ", omittingEmptySubsequences: true)
    guard parts.count == 2, let scheme = parts.first, let token = parts.last, scheme.lowercased() == "bearer" else { return nil }
    return String(token)
  }

  /// Whether the body is said to be JSON; its parameters do not matter, as JSON is always UTF-8.
  var isJSON: Bool {
    guard let type = fields[.contentType]?.split(separator: ";", omittingEmptySubsequences: false).first else { return false }
    return type.trimmingBlanks.lowercased() == "application/json"
  }

  /// 1 to 128 characters that a field name may have (RFC 9110 §5.6.2).
  private static func isToken(_ text: String) -> Bool {
    let marks = Array("!#$%&'*+-.^_`|~".utf8)
    return (1...128).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: marks.contains(byte)
        }
      }
  }
}

extension Substring {
  /// Without the spaces and tabs around it.
  fileprivate var trimmingBlanks: Substring {
    let kept = drop { $0 == " " || $0 == "\t" }
    let end = kept.lastIndex { $0 != " " && $0 != "\t" }
    return end.map { kept[...$0] } ?? ""
  }
}

extension HTTPField.Name {
  /// `X-Request-ID`.
  static let requestID = token(BackendHeader.requestID)
  /// `X-Device-ID`.
  static let deviceID = token(BackendHeader.deviceID)
  /// `Idempotency-Key`.
  static let idempotencyKey = token(BackendHeader.idempotencyKey)
  /// `X-Api-Id`.
  static let apiID = token(BackendHeader.apiID)
  /// `X-Nonce`.
  static let nonce = token(BackendHeader.nonce)
  /// `X-Signature`.
  static let signature = token(BackendHeader.signature)

  /// A field name that is written in this program.
  static func token(_ text: String) -> HTTPField.Name {
    guard let name = HTTPField.Name(text) else { preconditionFailure("not a field name") }
    return name
  }
}
