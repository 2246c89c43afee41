package import HTTPTypes

/// The second dialect of the seeds, under `/app/api` (seed 004; contract §3); its logout is `AuthEndpoints.Logout`.
package enum AppAPIEndpoints {
  /// `POST /app/api/refresh-token`: as `AuthEndpoints.RefreshTokens`.
  package struct RefreshToken: APIEndpoint {
    package typealias RequestBody = RefreshRequest
    package typealias ResponseBody = TokenPair
    package static let path = "/app/api/refresh-token"
    package static let method = HTTPRequest.Method.post
    package static let requiresAuth = false
    /// Makes the call.
    package init() {}
  }

  /// `POST /app/api/call/start`: begins a call to somebody.
  package struct CallStart: APIEndpoint {
    package typealias RequestBody = CallStartRequest
    package typealias ResponseBody = CallStartReceipt
    package static let path = "/app/api/call/start"
    package static let method = HTTPRequest.Method.post
    package static let requiresAuth = true
    package static let idempotencyKey = IdempotencyKeyStrategy.perCall
    package static let loggableBodies: LoggableBodies = .response
    /// Makes the call.
    package init() {}
  }
}

/// `{callee}`.
package struct CallStartRequest: Codable, Hashable, Sendable {
  package let callee: String
  /// Makes the body of its part.
  package init(callee: String) { self.callee = callee }
}

/// `{call_id}`.
package struct CallStartReceipt: Codable, Hashable, Sendable {
  package let callID: String
  /// Makes the body of its part.
  package init(callID: String) { self.callID = callID }
  enum CodingKeys: String, CodingKey { case callID = "call_id" }
}
