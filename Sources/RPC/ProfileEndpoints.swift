package import HTTPTypes
package import JSON

extension AccountEndpoints {
  /// `POST /rpc/get_or_create_account_profile`: 201 for a profile that was made with its deck, 200 for one that was there.
  package struct GetOrCreateProfile: APIEndpoint {
    package typealias RequestBody = ProfileRequest
    package typealias ResponseBody = ProfileBody
    package static let path = "/rpc/get_or_create_account_profile"
    package static let method = HTTPRequest.Method.post
    package static let requiresAuth = true
    package static let idempotencyKey = IdempotencyKeyStrategy.perCall
    package static let loggableBodies: LoggableBodies = [.request, .response]
    /// Makes the call.
    package init() {}
  }

  /// `POST /rpc/set_active_profile`: makes the account's profile of that language the one in use.
  package struct SetActiveProfile: APIEndpoint {
    package typealias RequestBody = ProfileRequest
    package typealias ResponseBody = ProfileBody
    package static let path = "/rpc/set_active_profile"
    package static let method = HTTPRequest.Method.post
    package static let requiresAuth = true
    package static let idempotencyKey = IdempotencyKeyStrategy.perCall
    package static let loggableBodies: LoggableBodies = [.request, .response]
    /// Makes the call.
    package init() {}
  }

  /// `POST /rpc/request_account_deletion`: schedules the deletion; asked again, tells the same instant.
  package struct RequestDeletion: APIEndpoint {
    package typealias RequestBody = NoBody
    package typealias ResponseBody = DeletionReceipt
    package static let path = "/rpc/request_account_deletion"
    package static let method = HTTPRequest.Method.post
    package static let requiresAuth = true
    package static let idempotencyKey = IdempotencyKeyStrategy.perCall
    package static let loggableBodies: LoggableBodies = [.request, .response]
    /// Makes the call.
    package init() {}
  }
}

/// `{account_id, language_code}`.
package struct ProfileRequest: Codable, Hashable, Sendable {
  package let accountID: String
  package let languageCode: String

  /// Makes the body of its parts.
  package init(accountID: String, languageCode: String) {
    self.accountID = accountID
    self.languageCode = languageCode
  }

  enum CodingKeys: String, CodingKey {
    case accountID = "account_id"
    case languageCode = "language_code"
  }
}

/// `{status:"scheduled", scheduled_for}`.
package struct DeletionReceipt: Codable, Hashable, Sendable {
  package let status: String
  package let scheduledFor: Timestamp

  /// Makes the body of its instant.
  package init(status: String = "scheduled", scheduledFor: Timestamp) {
    self.status = status
    self.scheduledFor = scheduledFor
  }

  enum CodingKeys: String, CodingKey {
    case status
    case scheduledFor = "scheduled_for"
  }
}
