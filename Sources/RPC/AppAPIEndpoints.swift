package import HTTPTypes

/// The endpoints of the `/app/api` dialect (seed-rules C-24 "App endpoints") that `/rpc` does not have; refresh and logout are
/// `AuthEndpoints`.
package enum AppAPIEndpoints {
  package static let all: [any APIEndpoint.Type] = [CallStart.self]

  /// `POST /app/api/call/start`: starts a phone call (seed-rules C-27 "call/start").
  package struct CallStart: APIEndpoint {
    package typealias RequestBody = CallStartRequest
    package typealias ResponseBody = CallStartReceipt
    package static let path = "/app/api/call/start"
    package static let method = HTTPRequest.Method.post
    package static let requiresAuth = true
    package static let idempotencyKey = IdempotencyKeyStrategy.perCall
    package static let loggableBodies: LoggableBodies = .response
  }
}

/// The body of `POST /app/api/call/start`.
package struct CallStartRequest: Codable, Hashable, Sendable {
  package let callee: String
}

/// The response of `POST /app/api/call/start`.
package struct CallStartReceipt: Codable, Hashable, Sendable {
  package let callID: String
  package init(callID: String) { self.callID = callID }
  enum CodingKeys: String, CodingKey { case callID = "call_id" }
}
