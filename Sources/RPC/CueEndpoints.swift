package import HTTPTypes
package import JSON

/// The calls about a profile's cues, with the JSON that they exchange (contract §3).
package enum CueEndpoints {
  /// `GET /rpc/get_cues`: a profile's cues, or those that were stamped at or after an instant.
  package struct GetCues: APIEndpoint {
    package typealias RequestBody = NoBody
    package typealias ResponseBody = CueListBody
    package static let path = "/rpc/get_cues"
    package static let method = HTTPRequest.Method.get
    package static let requiresAuth = true
    package static let isCacheable = true
    package static let loggableBodies: LoggableBodies = .response
    /// Whose cues.
    package let profileID: String
    /// The `server_time` of an earlier answer; nil for all cues.
    package let updatedSince: Timestamp?

    /// Makes the call of its query.
    package init(profileID: String, updatedSince: Timestamp? = nil) {
      self.profileID = profileID
      self.updatedSince = updatedSince
    }

    package var query: [(name: String, value: String)] {
      [("profile_id", profileID)] + (updatedSince.map { [("updated_since", $0.text)] } ?? [])
    }
  }

  /// `POST /rpc/shuffle_cues`: puts a profile's cues into another order.
  package struct ShuffleCues: APIEndpoint {
    package typealias RequestBody = ShuffleRequest
    package typealias ResponseBody = ShuffledCuesBody
    package static let path = "/rpc/shuffle_cues"
    package static let method = HTTPRequest.Method.post
    package static let requiresAuth = true
    package static let idempotencyKey = IdempotencyKeyStrategy.perCall
    package static let loggableBodies: LoggableBodies = [.request, .response]
    /// Makes the call.
    package init() {}
  }

  /// `POST /rpc/update_cue_stage`: moves a cue to a stage, unless somebody has changed it since.
  package struct UpdateCueStage: APIEndpoint {
    package typealias RequestBody = CueStageRequest
    package typealias ResponseBody = CueBody
    package static let path = "/rpc/update_cue_stage"
    package static let method = HTTPRequest.Method.post
    package static let requiresAuth = true
    package static let idempotencyKey = IdempotencyKeyStrategy.perCall
    package static let loggableBodies: LoggableBodies = [.request, .response]
    /// Makes the call.
    package init() {}
  }
}

/// The stages that a cue goes through.
package enum CueStage: String, Codable, Sendable, CaseIterable {
  case new, learning, review, mastered
}

/// `{cue_id, profile_id, prompt, answer, stage, position, updated_at}`; positions count from 0.
package struct CueBody: Codable, Hashable, Sendable {
  package let cueID: String
  package let profileID: String
  package let prompt: String
  package let answer: String
  package let stage: CueStage
  package let position: Int
  package let updatedAt: Timestamp

  /// Makes the body of its parts.
  package init(
    cueID: String, profileID: String, prompt: String, answer: String, stage: CueStage, position: Int, updatedAt: Timestamp
  ) {
    self.cueID = cueID
    self.profileID = profileID
    self.prompt = prompt
    self.answer = answer
    self.stage = stage
    self.position = position
    self.updatedAt = updatedAt
  }

  enum CodingKeys: String, CodingKey {
    case cueID = "cue_id"
    case profileID = "profile_id"
    case prompt, answer, stage, position
    case updatedAt = "updated_at"
  }
}

/// `{cues, server_time}`.
package struct CueListBody: Codable, Hashable, Sendable {
  package let cues: [CueBody]
  package let serverTime: Timestamp

  /// Makes the body of its parts.
  package init(cues: [CueBody], serverTime: Timestamp) {
    self.cues = cues
    self.serverTime = serverTime
  }

  enum CodingKeys: String, CodingKey {
    case cues
    case serverTime = "server_time"
  }
}

/// `{cues}`.
package struct ShuffledCuesBody: Codable, Hashable, Sendable {
  package let cues: [CueBody]
  /// Makes the body of its part.
  package init(cues: [CueBody]) { self.cues = cues }
}

/// `{profile_id}`.
package struct ShuffleRequest: Codable, Hashable, Sendable {
  package let profileID: String
  /// Makes the body of its part.
  package init(profileID: String) { self.profileID = profileID }
  enum CodingKeys: String, CodingKey { case profileID = "profile_id" }
}

/// `{cue_id, stage, base_updated_at}`: the server's `updated_at` that the client saw last.
package struct CueStageRequest: Codable, Hashable, Sendable {
  package let cueID: String
  package let stage: CueStage
  package let baseUpdatedAt: Timestamp

  /// Makes the body of its parts.
  package init(cueID: String, stage: CueStage, baseUpdatedAt: Timestamp) {
    self.cueID = cueID
    self.stage = stage
    self.baseUpdatedAt = baseUpdatedAt
  }

  enum CodingKeys: String, CodingKey {
    case cueID = "cue_id"
    case stage
    case baseUpdatedAt = "base_updated_at"
  }
}
