package import HTTPTypes
package import JSON

extension AccountEndpoints {
  /// `POST /rpc/get_or_create_account_profile`: answers 201 if the profile was created, 200 if it existed.
  package struct GetOrCreateProfile: APIEndpoint {
    package typealias RequestBody = ProfileRequest
    package typealias ResponseBody = ProfileBody
    package static let path = "/rpc/get_or_create_account_profile"
    package static let method = HTTPRequest.Method.post
    package static let requiresAuth = true
    package static let idempotencyKey = IdempotencyKeyStrategy.perCall
    package static let loggableBodies: LoggableBodies = [.request, .response]
    package init() {}
  }

  /// `POST /rpc/set_active_profile`: makes the profile of that language the active one.
  package struct SetActiveProfile: APIEndpoint {
    package typealias RequestBody = ProfileRequest
    package typealias ResponseBody = ProfileBody
    package static let path = "/rpc/set_active_profile"
    package static let method = HTTPRequest.Method.post
    package static let requiresAuth = true
    package static let idempotencyKey = IdempotencyKeyStrategy.perCall
    package static let loggableBodies: LoggableBodies = [.request, .response]
    package init() {}
  }

  /// `POST /rpc/request_account_deletion`: schedules the deletion; a second request answers the same date.
  package struct RequestDeletion: APIEndpoint {
    package typealias RequestBody = NoBody
    package typealias ResponseBody = DeletionReceipt
    package static let path = "/rpc/request_account_deletion"
    package static let method = HTTPRequest.Method.post
    package static let requiresAuth = true
    package static let idempotencyKey = IdempotencyKeyStrategy.perCall
    package static let loggableBodies: LoggableBodies = [.request, .response]
    package init() {}
  }
}

/// The body of both profile endpoints.
package struct ProfileRequest: Codable, Hashable, Sendable {
  package let accountID: String
  package let languageCode: String

  package init(accountID: String, languageCode: String) {
    self.accountID = accountID
    self.languageCode = languageCode
  }

  enum CodingKeys: String, CodingKey {
    case accountID = "account_id"
    case languageCode = "language_code"
  }
}

/// The answer of `POST /rpc/request_account_deletion`; `status` is always `scheduled`.
package struct DeletionReceipt: Codable, Hashable, Sendable {
  package let status: String
  package let scheduledFor: Timestamp

  package init(status: String = "scheduled", scheduledFor: Timestamp) {
    self.status = status
    self.scheduledFor = scheduledFor
  }

  enum CodingKeys: String, CodingKey {
    case status
    case scheduledFor = "scheduled_for"
  }
}
