package import HTTPTypes
package import JSON

/// The account endpoints and the JSON that they exchange.
package enum AccountEndpoints {
  package static let all: [any APIEndpoint.Type] = [
    Me.self, GetOrCreateProfile.self, SetActiveProfile.self, RequestDeletion.self,
  ]

  /// `GET /rpc/me`: the account that is signed in.
  package struct Me: APIEndpoint {
    package typealias RequestBody = NoBody
    package typealias ResponseBody = MeBody
    package static let path = "/rpc/me"
    package static let method = HTTPRequest.Method.get
    package static let requiresAuth = true
    package static let isCacheable = true
    package static let loggableBodies: LoggableBodies = .response
    package init() {}
  }

  /// `POST /rpc/get_or_create_account_profile`: responds with 201 if the profile was created, 200 if it existed.
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

  /// `POST /rpc/request_account_deletion`: schedules the deletion; a second request returns the same date.
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

/// A learning profile: one language of an account.
package struct ProfileBody: Codable, Hashable, Sendable {
  package let profileID: String
  package let languageCode: String
  package let displayName: String?
  package let createdAt: Timestamp?

  package init(profileID: String, languageCode: String, displayName: String?, createdAt: Timestamp?) {
    self.profileID = profileID
    self.languageCode = languageCode
    self.displayName = displayName
    self.createdAt = createdAt
  }

  enum CodingKeys: String, JSONDefaultingKey {
    case profileID = "profile_id"
    case languageCode = "language_code"
    case displayName = "display_name"
    case createdAt = "created_at"

    package var fallback: JSONFallback? {
      switch self {
      case .profileID, .displayName: nil
      // The tag of an undetermined language (BCP 47).
      case .languageCode: .json(#""und""#)
      case .createdAt: .json("null")
      }
    }
  }
}

/// The response of `GET /rpc/me`; fields that a backend may leave out are optional (seed-rules A-34 "Missing fields"), and either
/// id replaces the other.
package struct MeBody: Codable, Hashable, Sendable {
  package let userID: String
  package let accountID: String
  package let email: String?
  package let phone: String?
  package let displayName: String?
  package let roles: [String]?
  package let activeProfileID: String?
  package let profiles: [ProfileBody]?
  package let createdAt: Timestamp?
  package let deletionScheduledFor: Timestamp?
  /// The account's choice of analytics, under one of its two names; nil if it is in `metadata` or missing.
  private let analyticsOptedIn: Bool?
  private let metadata: Metadata?

  /// The part of the account's further facts that the client reads.
  private struct Metadata: Codable, Hashable, Sendable {
    let analyticsOptedIn: Bool?

    enum CodingKeys: String, JSONDefaultingKey {
      case analyticsOptedIn = "analytics_opted_in"

      var fallback: JSONFallback? { .member("analytics_opt_in") }
    }
  }

  /// Whether the account allows analytics; nil if the backend sends no choice.
  package var allowsAnalytics: Bool? { analyticsOptedIn ?? metadata?.analyticsOptedIn }

  package init(
    userID: String, accountID: String, email: String?, phone: String?, displayName: String?, roles: [String]?,
    activeProfileID: String?, profiles: [ProfileBody]?, createdAt: Timestamp?, deletionScheduledFor: Timestamp?
  ) {
    analyticsOptedIn = nil
    metadata = nil
    self.userID = userID
    self.accountID = accountID
    self.email = email
    self.phone = phone
    self.displayName = displayName
    self.roles = roles
    self.activeProfileID = activeProfileID
    self.profiles = profiles
    self.createdAt = createdAt
    self.deletionScheduledFor = deletionScheduledFor
  }

  enum CodingKeys: String, JSONDefaultingKey {
    case userID = "user_id"
    case accountID = "account_id"
    case email, phone
    case displayName = "display_name"
    case roles
    case activeProfileID = "active_profile_id"
    case profiles
    case createdAt = "created_at"
    case deletionScheduledFor = "deletion_scheduled_for"
    case analyticsOptedIn = "analytics_opted_in"
    case metadata

    package var fallback: JSONFallback? {
      switch self {
      case .analyticsOptedIn: .member("analytics_opt_in")
      case .userID: .member(CodingKeys.accountID.rawValue)
      case .accountID: .member(CodingKeys.userID.rawValue)
      case .roles, .createdAt: .json("null")
      // The code that fills in the active profile and the profiles reports that they are missing.
      case .email, .phone, .displayName, .activeProfileID, .profiles, .deletionScheduledFor, .metadata: nil
      }
    }
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

/// The response of `POST /rpc/request_account_deletion`; `status` is always `scheduled`.
package struct DeletionReceipt: Codable, Hashable, Sendable, DispensableBody {
  package let status: String
  /// Nil if the backend sends no date.
  package let scheduledFor: Timestamp?

  package init(status: String = "scheduled", scheduledFor: Timestamp?) {
    self.status = status
    self.scheduledFor = scheduledFor
  }

  enum CodingKeys: String, JSONDefaultingKey {
    case status
    case scheduledFor = "scheduled_for"

    package var fallback: JSONFallback? {
      switch self {
      case .status: .json(#""scheduled""#)
      case .scheduledFor: .json("null")
      }
    }
  }
}
