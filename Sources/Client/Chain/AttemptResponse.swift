import FoundationEssentials
import JSON
import Observability

/// A complete response and what the chain needs to know about its attempt.
struct AttemptResponse: Sendable {
  let response: TransportResponse
  /// The parsed body, nil if it is not JSON; parsed once for all users.
  let document: JSONDocument?
  /// The id of the attempt's row in the network log.
  let row: String
  /// When the attempt was sent, on both clocks; `sentWall` includes the skew of a fault rule.
  let sentAt: ContinuousClock.Instant
  let sentWall: Date
  /// Whether the request was conditional.
  let isConditional: Bool
  /// The clock skew of a fault rule during the attempt, in seconds.
  let skewSeconds: Int64

  /// Creates a response and parses its body.
  init(
    response: TransportResponse, row: String, sentAt: ContinuousClock.Instant, sentWall: Date, isConditional: Bool = false,
    skewSeconds: Int64 = 0
  ) {
    self.response = response
    document = response.body.isEmpty ? nil : try? JSONDocument(parsing: response.body)
    self.row = row
    self.sentAt = sentAt
    self.sentWall = sentWall
    self.isConditional = isConditional
    self.skewSeconds = skewSeconds
  }

  /// Whether the backend confirmed the stored response with a 304.
  var isNotModified: Bool { isConditional && response.status == 304 }
  /// Whether the status is 2xx, or a 304 to a conditional request.
  var isSuccess: Bool { (200...299).contains(response.status) || isNotModified }

  /// The backend's error code (`error.code` in the body); nil if there is no well-formed one.
  var backendCode: String? {
    guard let code = document?.root["error"]?["code"]?.string,
      (1...64).contains(code.utf8.count),
      code.utf8.allSatisfy({ ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A) || $0 == 0x5F || (0x30...0x39).contains($0) })
    else { return nil }
    return code
  }
}

extension SecretRegistry {
  /// Registers the secrets in a response before any of it is stored: tokens, e-mail address and phone number.
  func learn(fromAnswer document: JSONDocument) {
    for (key, value) in document.root.memberNodes {
      let kind: SecretKind
      switch key.string {
      case "access_token", "refresh_token": kind = .token
      case "email": kind = .email
      case "phone": kind = .phone
      default: continue
      }
      if let value = value.string, !value.isEmpty { register(value, kind: kind) }
    }
  }

  /// Registers the secrets in a response body; does nothing if it is not JSON.
  func learn(fromAnswer body: [UInt8]) {
    if let document = try? JSONDocument(parsing: body) { learn(fromAnswer: document) }
  }
}
