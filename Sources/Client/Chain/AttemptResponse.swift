import FoundationEssentials
import JSON
import Observability

/// A whole answer of the backend with what the chain wants to know about it.
struct AttemptResponse: Sendable {
  let response: TransportResponse
  /// Its body, read once for all who look into it; nil where it is no JSON.
  let document: JSONDocument?
  /// The network log's row of the attempt.
  let row: String
  /// When the attempt went out, on both clocks; the wall is the client's, however wrong a fault has put it.
  let sentAt: ContinuousClock.Instant
  let sentWall: Date
  /// Whether it was asked whether a stored answer still holds.
  let isConditional: Bool
  /// How far a fault had put the client's clock ahead, in seconds.
  let skewSeconds: Int64

  /// An answer with what is in its body.
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

  /// Whether the backend says that the stored answer still holds.
  var isNotModified: Bool { isConditional && response.status == 304 }
  /// Whether the status is one of success.
  var isSuccess: Bool { (200...299).contains(response.status) || isNotModified }

  /// The backend's error code (contract §3); nil where there is none that looks like one.
  var backendCode: String? {
    guard let code = document?.root["error"]?["code"]?.string,
      (1...64).contains(code.utf8.count),
      code.utf8.allSatisfy({ ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A) || $0 == 0x5F || (0x30...0x39).contains($0) })
    else { return nil }
    return code
  }
}

extension SecretRegistry {
  /// Registers what an answer tells for the first time, before anything of it is kept: tokens, address and number.
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

  /// Registers what the bytes of an answer tell; nothing where they are no JSON.
  func learn(fromAnswer body: [UInt8]) {
    if let document = try? JSONDocument(parsing: body) { learn(fromAnswer: document) }
  }
}
