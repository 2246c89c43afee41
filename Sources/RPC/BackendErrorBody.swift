import JSON

/// An error of the backend: `{"error":{"code", "message", "request_id", "details"?}}`.
package struct BackendErrorBody: Codable, Hashable, Sendable {
  /// The object under `error`.
  package struct Detail: Codable, Hashable, Sendable {
    package let code: String
    package let message: String
    package let requestID: String?
    package let details: Details?
    package init(code: String, message: String, requestID: String?, details: Details? = nil) {
      self.code = code
      self.message = message
      self.requestID = requestID
      self.details = details
    }
    enum CodingKeys: String, JSONDefaultingKey {
      case code, message, details
      case requestID = "request_id"
      package var fallback: JSONFallback? { self == .message ? .json(#""""#) : nil }
    }
  }

  /// The details of a code; unknown members, and a cue in another shape, are ignored.
  package struct Details: Codable, Hashable, Sendable {
    /// The cue as the backend has it, with `conflict`.
    package let cue: CueBody?
    package init(cue: CueBody?) { self.cue = cue }

    /// Throws no error, because the error itself must be readable whatever its details are.
    package init(from decoder: any Decoder) throws {
      cue = try? decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(CueBody.self, forKey: .cue)
    }

    enum CodingKeys: String, CodingKey { case cue }
  }

  package let error: Detail

  package init(code: String, message: String, requestID: String?, details: Details? = nil) {
    error = Detail(code: code, message: message, requestID: requestID, details: details)
  }
}
