package import HTTPTypes
package import JSON

/// The endpoints for the cues of a profile and the JSON that they exchange.
package enum CueEndpoints {
  package static let all: [any APIEndpoint.Type] = [GetCues.self, ShuffleCues.self, UpdateCueStage.self]

  /// `GET /rpc/get_cues`: all cues of a profile, or those changed since an instant.
  package struct GetCues: APIEndpoint {
    package typealias RequestBody = NoBody
    package typealias ResponseBody = CueListBody
    package static let path = "/rpc/get_cues"
    package static let method = HTTPRequest.Method.get
    package static let requiresAuth = true
    package static let isCacheable = true
    package static let loggableBodies: LoggableBodies = .response
    /// The profile to list.
    package let profileID: String
    /// The `server_time` of an earlier response, which includes cues changed at that instant; nil for all cues.
    package let updatedSince: Timestamp?

    package init(profileID: String, updatedSince: Timestamp? = nil) {
      self.profileID = profileID
      self.updatedSince = updatedSince
    }

    package var query: [(name: String, value: String)] {
      [("profile_id", profileID)] + (updatedSince.map { [("updated_since", $0.text)] } ?? [])
    }
  }

  /// `POST /rpc/shuffle_cues`: puts the cues of a profile in a new random order.
  package struct ShuffleCues: APIEndpoint {
    package typealias RequestBody = ShuffleRequest
    package typealias ResponseBody = ShuffledCuesBody
    package static let path = "/rpc/shuffle_cues"
    package static let method = HTTPRequest.Method.post
    package static let requiresAuth = true
    package static let idempotencyKey = IdempotencyKeyStrategy.perCall
    package static let loggableBodies: LoggableBodies = [.request, .response]
    package init() {}
  }

  /// `POST /rpc/update_cue_stage`: moves a cue to a stage, unless it was changed in the meantime.
  package struct UpdateCueStage: APIEndpoint {
    package typealias RequestBody = CueStageRequest
    package typealias ResponseBody = CueBody
    package static let path = "/rpc/update_cue_stage"
    package static let method = HTTPRequest.Method.post
    package static let requiresAuth = true
    package static let idempotencyKey = IdempotencyKeyStrategy.perCall
    package static let loggableBodies: LoggableBodies = [.request, .response]
    package init() {}
  }
}

/// How well a cue is known, in the order in which it is learned.
package enum CueStage: String, Codable, Sendable, CaseIterable {
  case new, learning, review, mastered
}

/// A cue; positions count from 0.
package struct CueBody: Codable, Hashable, Sendable {
  package let cueID: String
  package let profileID: String
  package let prompt: String
  package let answer: String
  package let stage: CueStage
  package let position: Int
  /// Sent back as `base_updated_at` in the form in which it came.
  package let updatedAt: ReceivedTimestamp

  package init(
    cueID: String, profileID: String, prompt: String, answer: String, stage: CueStage, position: Int,
    updatedAt: ReceivedTimestamp
  ) {
    self.cueID = cueID
    self.profileID = profileID
    self.prompt = prompt
    self.answer = answer
    self.stage = stage
    self.position = position
    self.updatedAt = updatedAt
  }

  package enum CodingKeys: String, JSONDefaultingKey {
    case cueID = "cue_id"
    case profileID = "profile_id"
    case prompt, answer, stage, position
    case updatedAt = "updated_at"

    package var fallback: JSONFallback? {
      switch self {
      case .cueID: nil
      case .profileID, .prompt, .answer: .json(#""""#)
      case .stage: .json(#""new""#)
      case .position: .json("\(CueBody.unknownPosition)")
      case .updatedAt: .json("\"\(CueBody.unknownUpdate.text)\"")
      }
    }
  }

  /// The position of a cue that came without one.
  package static let unknownPosition = -1
  /// The timestamp of a cue that came without one.
  package static let unknownUpdate = Timestamp(milliseconds: 0)
}

/// The response of `GET /rpc/get_cues`.
package struct CueListBody: Codable, Hashable, Sendable {
  package let cues: [CueBody]
  package let serverTime: Timestamp

  package init(cues: [CueBody], serverTime: Timestamp) {
    self.cues = cues
    self.serverTime = serverTime
  }

  enum CodingKeys: String, JSONDefaultingKey {
    case cues
    case serverTime = "server_time"

    package var fallback: JSONFallback? { self == .serverTime ? .json("0") : nil }
  }
}

/// The response of `POST /rpc/shuffle_cues`.
package struct ShuffledCuesBody: Codable, Hashable, Sendable {
  package let cues: [CueBody]
  package init(cues: [CueBody]) { self.cues = cues }
}

/// The body of `POST /rpc/shuffle_cues`.
package struct ShuffleRequest: Codable, Hashable, Sendable {
  package let profileID: String
  package init(profileID: String) { self.profileID = profileID }
  enum CodingKeys: String, CodingKey { case profileID = "profile_id" }
}

/// The body of `POST /rpc/update_cue_stage`; `base_updated_at` is the `updated_at` that the client saw last.
package struct CueStageRequest: Codable, Hashable, Sendable {
  package let cueID: String
  package let stage: CueStage
  package let baseUpdatedAt: ReceivedTimestamp

  package init(cueID: String, stage: CueStage, baseUpdatedAt: ReceivedTimestamp) {
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
